// What a repository lacks of what it is said to have.
//
//   R1  Objects are looked up in the indexes of the packs: no process, some milliseconds for
//   10,000. R2  Whether the history is whole is asked only when all objects are there: one process.
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

struct Lacking {
  std::vector<git::Oid> objects;  // ascending, each once
  bool torn = false;              // all are there, and their history has holes

  bool nothing() const { return objects.empty() && !torn; }
};

// What the refs of the repository reach is taken as whole.
core::Result<Lacking, std::string> lacking(const std::filesystem::path& repository,
                                           std::span<const git::Oid> oids, core::Duration deadline);

}  // namespace graspd::gitio
