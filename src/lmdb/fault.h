// The end of a process that met a damaged database in its memory map.
//
//   R1  It says on stderr what happened and what to do, and exits 1.
//   R2  A fault elsewhere is a bug: it ends the process as ever, with a core dump if those are on.
#pragma once
#include <string_view>

namespace graspd::lmdb {

// For the whole process: from now on faults in the map of a data.mdb are explained.
void explain_faults();

[[noreturn]] void end_by_damage(std::string_view what);

}  // namespace graspd::lmdb
