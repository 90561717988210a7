// Memory for tens of megabytes that are written once, in large pages where the kernel has them.
// Handing out and clearing small pages costs more than filling them.
//
//   R1  The block that was freed last is kept for the next user of about the same size: clearing it
//       anew would cost a fifth of building a set. The kernel may reclaim it when memory is short.
//   R2  At most one block is kept.
#pragma once
#include <memory_resource>

namespace graspd::serve {

std::pmr::memory_resource* large_pages();  // lives as long as the program

}  // namespace graspd::serve
