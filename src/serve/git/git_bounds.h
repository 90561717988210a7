// The resources that a git process for a client may use, which must be free before it starts.
//
//   R1  A push without a published event gets what strangers get (git/command_line.h).
//   R2  Any other push gets memory and time by the size of its pack, so that a small pack cannot
//       expand without limit. The limits of every process (gitio/process.h) apply too.
//   R3  A fetch gets memory by the size of the repository.
//   R4  No process gets more than half of the budget.
#pragma once
#include <cstdint>

#include "git/command_line.h"

namespace graspd::serve {

struct GitMemory {
  std::uint64_t process_max = 2ULL << 30;  // of one process; 0: no limit
  std::uint64_t budget = 0;                // of all; 0: no limit
};

git::Bounds fetch_bounds(std::uint64_t pack_bytes, const GitMemory& memory);

enum class PackSize { Small, Unknown };  // Small: all of it is here, see held_body.h
git::Bounds push_bounds(bool is_unsigned, PackSize size, const GitMemory& memory);

// What a process with these bounds takes of the budget.
std::uint64_t cost(const git::Bounds& bounds, const GitMemory& memory);

// R1, R2. Of the whole group, after so much has been received; 0: no limit but that of each
// process.
std::uint64_t push_cpu_seconds(bool is_unsigned, std::uint64_t received_bytes);

}  // namespace graspd::serve
