#include "serve/runtime/disk_watch.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/byte_words.h"
#include "core/log.h"

namespace graspd::serve {
namespace {

// R1
std::uint64_t plenty(std::uint64_t min) {
  return min + std::min(min / 20, std::numeric_limits<std::uint64_t>::max() - min);
}

std::optional<FolderSpace> least_of(const FreeDisk& disk) {
  const auto all = disk.spaces();
  const auto least = std::ranges::min_element(all, {}, &FolderSpace::free);
  return least == all.end() ? std::nullopt : std::optional(*least);
}

}  // namespace

std::optional<std::string> disk_log_line(const std::optional<FolderSpace>& least, std::uint64_t min,
                                         bool& told) {
  if (!least) return std::nullopt;
  if (!told && least->free < min) {
    told = true;
    return fmt::format(
        "low on disk space, pushes and events are refused: {} has {} free, "
        "NGIT_MIN_FREE_DISK_BYTES asks for {}; free some space or lower the setting",
        least->folder.string(), core::byte_words(least->free), core::byte_words(min));
  }
  if (told && least->free >= plenty(min)) {
    told = false;
    return fmt::format("enough disk space again, pushes and events are accepted: {} has {} free",
                       least->folder.string(), core::byte_words(least->free));
  }
  return std::nullopt;
}

DiskWatch::DiskWatch(std::shared_ptr<const FreeDisk> disk) : disk_(std::move(disk)) { look(); }

void DiskWatch::look() {
  const bool was_told = told_;
  const auto line = disk_log_line(least_of(*disk_), disk_->min(), told_);
  if (!line) return;
  if (was_told)
    core::log::info("{}", *line);
  else
    core::log::error("{}", *line);
}

std::optional<std::string> DiskWatch::trouble() const {
  const auto low = disk_->low();
  if (!low) return std::nullopt;
  return fmt::format(
      "low on disk space, pushes and events are refused: {} free, NGIT_MIN_FREE_DISK_BYTES asks "
      "for {}",
      core::byte_words(low->free), core::byte_words(disk_->min()));
}

void add_disk_metrics(metrics::Registry& registry, std::shared_ptr<const FreeDisk> disk,
                      const std::vector<std::pair<std::filesystem::path, std::string>>& names) {
  registry.read_gauges("ngit_disk_free_bytes", "Free bytes on the disk of a data folder", "folder",
                       [disk, names] {
                         std::vector<std::pair<std::string, double>> free;
                         for (const FolderSpace& space : disk->spaces())
                           for (const auto& [folder, name] : names)
                             if (folder == space.folder)
                               free.emplace_back(name, static_cast<double>(space.free));
                         return free;
                       });
  registry.gauge("ngit_disk_free_bytes_min", "Free bytes below which writes are rejected")
      .set(static_cast<double>(disk->min()));
  registry.read_gauge("ngit_disk_writes_refused",
                      "1 while pushes and events are rejected for lack of disk space",
                      [disk] { return disk->is_low() ? 1.0 : 0.0; });
}

}  // namespace graspd::serve
