// Ends the process when a damaged database causes a fault in the memory map.
//
//   R1  The process says on stderr what happened and what to do, and exits with code 1.
//   R2  A fault elsewhere is a bug: it ends the process as usual, with a core dump if enabled.
#pragma once
#include <string_view>

namespace graspd::lmdb {

// For the whole process: from now on faults in the map of a data.mdb are explained.
void explain_faults();

[[noreturn]] void end_by_damage(std::string_view what);

}  // namespace graspd::lmdb
