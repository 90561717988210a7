// Is a repository what the newest state declares? Looked up, not believed.
//
//   R1  Every declared ref stands at its oid, no other head or tag is there, every object the
//       declared refs reach is present. HEAD names what is declared, if that is a declared branch.
//       What pull requests brought (refs/nostr) is nobody's declaration, but served: it is walked
//       too.
//   R2  The whole history is walked, also what was whole yesterday: disks forget.
//   R3  A value comes out; nothing is repaired here. At most `problems_max` problems are named.
//   R4  A quick look does without the walk and without pull requests: it reads branches and tags
//       and looks their objects up, in a millisecond or so.
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
