// Memory for tens of megabytes that are written once: in large pages where the kernel has them.
// Handing out and clearing small ones costs more than filling them.
//
//   R1  The block that was given back last is kept for the next who needs about as much: clearing
//       it anew would cost a fifth of making a set. The kernel may take it back whenever memory is
//       short.
//   R2  Never more than one block is kept.
#pragma once
#include <memory_resource>

namespace graspd::serve {

std::pmr::memory_resource* large_pages();  // lives as long as the program

}  // namespace graspd::serve
