// Moves the refs of a repository, and its HEAD, as decided elsewhere.
//
//   R1  All updates happen or none: one `git update-ref --stdin` transaction, every old value
//       verified. R2 is the only exception.
//   R2  git refuses to delete refs/heads/a and create refs/heads/a/b (or the reverse) in one
//       transaction. Then all old values are verified first, and the deletions are committed before
//       the rest, in a separate transaction. The caller holds the repository's lock, so nobody
//       writes between the two. A crash there leaves refs missing; the next attempt, computed from
//       what is on disk, creates them.
//   R3  HEAD moves after the refs, atomically; it may name a branch that does not exist.
//   R4  Many loose refs are slow to read and to sync: after more than `kPackAfter` updates, or when
//       more pull request refs than that are loose, they are packed. When this returns, the refs
//       are on disk.
//   R5  Ref locks that a killed git left do not block for ever: the caller holds the repository's
//       lock, so locks older than `kLockAge` belong to nobody. They are removed when git fails, and
//       then git is run once more.
//   R6  The cost does not grow with the number of existing refs, except for R4.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "git/align.h"

namespace graspd::gitio {

// A loose ref costs an open, a read and a close; below this nobody notices.
inline constexpr std::size_t kPackAfter = 64;
// A git whose server was killed may still be finishing its last update.
inline constexpr core::Duration kLockAge = std::chrono::seconds(30);

// Blocks. The failure is git's complaint.
core::Result<core::Done, std::string> apply(const std::filesystem::path& repository,
                                            const git::RefTransaction& transaction);

}  // namespace graspd::gitio
