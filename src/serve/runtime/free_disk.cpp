#include "serve/runtime/free_disk.h"

#include <algorithm>
#include <fmt/format.h>

#include "gitio/removal.h"
#include "net/clock.h"

namespace graspd::serve {
namespace {

constexpr core::Duration kLookInterval{1'000};

}  // namespace

std::string describe(const FolderSpace& low, std::uint64_t min) {
  return fmt::format("{} has {} MiB of free disk space, NGIT_MIN_FREE_DISK_BYTES asks for {} MiB",
                     low.folder.string(), low.free >> 20, min >> 20);
}

std::vector<FolderSpace> FreeDisk::spaces() const {
  const core::Instant now = net::now().instant;
  std::lock_guard lock(mutex_);
  if (looked_ && now - *looked_ < kLookInterval) return found_;
  looked_ = now;
  found_.clear();
  for (const auto& folder : folders_)
    if (const auto free = gitio::free_bytes(folder)) found_.push_back({folder, *free});
  return found_;
}

std::optional<FolderSpace> FreeDisk::low() const {
  if (min_ == 0) return std::nullopt;
  const auto all = spaces();
  const auto least = std::ranges::min_element(all, {}, &FolderSpace::free);
  if (least == all.end() || least->free >= min_) return std::nullopt;
  return *least;
}

}  // namespace graspd::serve
