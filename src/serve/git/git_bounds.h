// What a git process that a client asks for may take, and so what has to be free before it starts.
//
//   R1  A push that no event names yet: what strangers get (git/command_line.h).
//   R2  Any other push: memory and time by the size of its pack. What is small when it comes may
//       not grow without end. The limits of every process (gitio/process.h) hold besides.
//   R3  A fetch: memory by the size of the repository.
//   R4  Nobody gets more than half of the budget.
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
