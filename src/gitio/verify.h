// Verifies that a repository is what the newest state declares.
//
//   R1  Every declared ref is at its oid, there is no other head or tag, and every object reachable
//       from the declared refs is present. HEAD names the branch of the state, if that is declared.
//       Pull request refs (refs/nostr) are not declared, but served: their history is walked too.
//   R2  The whole history is walked, even if it was complete yesterday: disks lose data.
//   R3  The result is a value; nothing is repaired here. At most `problems_max` problems are named.
//   R4  A quick check skips the walk and the pull requests: it reads branches and tags and looks up
//       their objects, in about a millisecond.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "git/fingerprint.h"
#include "git/oid.h"
#include "git/ref_name.h"
#include "gitio/remote_refs.h"

namespace graspd::gitio {

enum class ProblemKind : std::uint8_t {
  RefMissing,     // declared, and not there
  RefElsewhere,   // at another oid than declared
  RefUndeclared,  // a head or tag that nobody declared
  ObjectMissing,  // what a ref names
  Torn,           // objects are missing further down in the history
  HeadElsewhere,
};
std::string_view name(ProblemKind kind);  // "ref_missing"

struct Problem {
  ProblemKind kind;
  std::optional<git::RefName> ref;
  std::optional<git::Oid> declared, found;

  bool operator==(const Problem&) const = default;
};

struct Verification {
  bool ok() const { return problems_total == 0; }
  std::size_t problems_total = 0;
  std::vector<Problem> problems;  // the first of them
  std::vector<git::Oid> tips;     // of all that was walked, ascending
};

struct VerifyOptions {
  std::size_t problems_max = 20;
  // Walking the kernel's history takes some minutes at low priority.
  core::Duration deadline = std::chrono::minutes(30);
  std::stop_token stop = {};
};

// Blocks; the priority is that of the calling thread. The failure: it could not be looked up.
core::Result<Verification, std::string> verify(const std::filesystem::path& repository,
                                               const git::Refs& declared,
                                               const std::optional<git::RefName>& declared_head,
                                               const VerifyOptions& options = {});

struct QuickLook {
  Verification verification;
  bool is_empty = false;  // no branch and no tag
  // There is no branch or tag, or the object of one is missing: git would serve less than there
  // seems to be, or nothing at all, and call it a success.
  bool is_hollow = false;
  git::Fingerprint fingerprint;
};

// R4. The failure: it could not be looked up.
core::Result<QuickLook, std::string> look_quickly(const std::filesystem::path& repository,
                                                  const git::Refs& declared,
                                                  const std::optional<git::RefName>& declared_head,
                                                  const VerifyOptions& options = {});

// What a peer serves against what is declared: heads and tags only.
Verification compare(const git::Refs& declared, const RemoteRefs& served,
                     const VerifyOptions& options = {});

}  // namespace graspd::gitio
