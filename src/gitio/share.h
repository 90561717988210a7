// Copies history from one repository to another without a transfer.
//
//   R1  Afterwards `to` has everything reachable from `tips`, and nothing of `from` that is not:
//       objects that another owner keeps, hides or has deleted must not be copied.
//   R2  A pack of `from` whose objects are all reachable from `tips` is hard-linked, not copied, so
//       that big packs exist once. The rest becomes one new pack.
//   R3  What `to` already has in full costs nothing.
//   R4  New packs appear in `to` complete; a crash leaves at most a temporary file.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "git/oid.h"

namespace graspd::gitio {

struct ShareLimits {
  // A kernel's history has ten million objects; the list of them is held in memory (20 bytes each).
  std::size_t objects_max = 20'000'000;
  core::Duration deadline = std::chrono::minutes(10);
};

struct Shared {
  std::size_t packs_linked = 0;
  bool packed = false;  // a new pack was written
};

// Blocks. The caller holds the lock of `to`, and one of `from` that keeps maintenance out.
core::Result<Shared, std::string> copy_history(const std::filesystem::path& from,
                                               const std::filesystem::path& to,
                                               const std::vector<git::Oid>& tips,
                                               const ShareLimits& limits = {});

}  // namespace graspd::gitio
