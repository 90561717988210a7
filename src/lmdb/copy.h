// Copies a database: the copy is complete, or it does not exist.
#pragma once
#include <string>
#include <sys/types.h>

#include "core/result.h"
#include "lmdb/env.h"

namespace graspd::lmdb {

// Into `directory`, which exists: made under another name, synced, then moved, with the mode that
// is asked for. A copy that fails, or is killed, leaves nothing that could be taken for one, and a
// database that was there as it was; what a killed one left goes with the next.
core::Result<core::Done, std::string> copy_whole(const Env& env, const std::string& directory,
                                                 bool compact, mode_t mode);

}  // namespace graspd::lmdb
