// What a repository lacks of what it should have.
//
//   R1  Objects are looked up in the indexes of the packs: no process, milliseconds for 10,000.
//   R2  A tip without its history counts as missing, because a remote may send one that was not
//       requested. One process confirms that all is complete; finding the incomplete tips takes a
//       few, never one per oid.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "git/oid.h"

namespace graspd::gitio {

// The oids that are not in the repository, ascending, each once.
core::Result<std::vector<git::Oid>, std::string> missing(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> oids);

// Those besides whose history has holes. What the refs of the repository reach is taken as whole.
// When too many are torn, whole ones may be among them.
core::Result<std::vector<git::Oid>, std::string> lacking(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> oids,
                                                         core::Duration deadline);

}  // namespace graspd::gitio
