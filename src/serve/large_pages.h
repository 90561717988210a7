// Memory for tens of megabytes that are written once: in large pages where the kernel has them.
// Handing out and clearing small ones costs more than filling them.
#pragma once
#include <memory_resource>

namespace graspd::serve {

std::pmr::memory_resource* large_pages();  // lives as long as the program

}  // namespace graspd::serve
