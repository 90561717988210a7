// The guard of NGIT_MIN_FREE_DISK_BYTES: the one place that knows whether there is space to write.
//
//   R1  The disk is low while any of the folders has less free space than the minimum. Then pushes
//       and events from all sources are rejected; operations that free space continue.
//   R2  The file system is queried at most once a second, however often this is called.
//   R3  A folder that does not exist yet counts as the place where it will be created. A folder
//       that cannot be examined is never low.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace graspd::serve {

struct FolderSpace {
  std::filesystem::path folder;
  std::uint64_t free = 0;
};

// For people who sent something: it says no path. With its NIP-01 prefix, and without.
inline constexpr std::string_view kErrorLowOnDisk =
    "error: this server is low on disk space; try again later";
inline constexpr std::string_view kLowOnDisk = kErrorLowOnDisk.substr(sizeof "error:");

// For the operator.
std::string describe(const FolderSpace& low, std::uint64_t min);

// Thread-safe.
class FreeDisk {
 public:
  FreeDisk(std::vector<std::filesystem::path> folders, std::uint64_t min)
      : folders_(std::move(folders)), min_(min) {}

  std::uint64_t min() const { return min_; }  // 0: nothing is guarded
  // The folder with the least space, if that is too little.
  std::optional<FolderSpace> low() const;
  bool is_low() const { return low().has_value(); }
  // What every folder has, as far as it can be told.
  std::vector<FolderSpace> spaces() const;

 private:
  const std::vector<std::filesystem::path> folders_;
  const std::uint64_t min_;
  mutable std::mutex mutex_;  // guards the below
  mutable std::optional<core::Instant> looked_;
  mutable std::vector<FolderSpace> found_;
};

}  // namespace graspd::serve
