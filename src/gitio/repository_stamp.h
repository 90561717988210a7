// Whether a repository on disk has changed, and what it consists of, from the file system alone: no
// object is read.
//
//   R1  A stamp costs a fixed number of system calls, however many refs, packs and objects there
//       are. It changes when the folder, its packed refs, or the list of packs or of top-level
//       branches and tags changes.
//   R2  A thorough stamp also covers every pack, every loose branch and tag: for periodic checks,
//       not for every request.
//   R3  A recent change may be followed by another within one tick of the file system's clock: such
//       a stamp proves nothing.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/result.h"
#include "git/fingerprint.h"

namespace graspd::gitio {

class RepositoryStamp {
 public:
  static RepositoryStamp of(const std::filesystem::path& repository);  // R1
  bool is_settled() const;                                             // R3
  bool operator==(const RepositoryStamp&) const = default;

 private:
  struct File {
    std::uint64_t inode = 0, size = 0;
    std::int64_t changed_ns = 0, modified_ns = 0;
    bool operator==(const File&) const = default;
  };
  static File file(const std::filesystem::path& path);

  std::array<File, 7> files_;
};

std::uint64_t thorough_stamp(const std::filesystem::path& repository);  // R2

// What it consists of now; `refs` are its branches and tags. The failure: it cannot be read.
core::Result<git::Fingerprint, std::string> fingerprint(const std::filesystem::path& repository,
                                                        const git::Refs& refs);
// The same, and reads the refs itself.
core::Result<git::Fingerprint, std::string> fingerprint(const std::filesystem::path& repository);

}  // namespace graspd::gitio
