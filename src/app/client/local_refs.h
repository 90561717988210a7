// Branches and tags of a repository on this machine, as git lists them.
//
//   R1  git is started directly, no shell; the repository is a folder, never an argument to read.
//   R2  Branches named pr/… are proposals that travel as events (NIP-34): they are left out.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "git/ref_name.h"

namespace graspd::app {

struct LocalRefs {
  git::Refs refs;                    // heads and tags
  std::optional<git::RefName> head;  // where HEAD points, be it unborn; nullopt when detached

  bool operator==(const LocalRefs&) const = default;
};

core::Result<LocalRefs, std::string> read_local_refs(const std::string& repository);

// `listing`: lines of "<oid> <ref>".
core::Result<git::Refs, std::string> parse_ref_listing(std::string_view listing);

// Only these branches, and all tags if wanted. HEAD follows: it stays if it is among them, else it
// is the first one named. A branch that is not there is a failure.
core::Result<LocalRefs, std::string> choose(const LocalRefs& refs,
                                            const std::vector<std::string>& branches, bool tags);

}  // namespace graspd::app
