// A repository's state (NIP-34, kind 30618) as a value: where branches and tags should point.
//
//   R1  Tags named refs/heads/* and refs/tags/* declare; other refs/ names are ignored, as are
//       peeled names (^{}), symbolic values ("ref: ...") and whatever follows the value.
//   R2  HEAD is written "ref: refs/heads/x" or "refs/heads/x"; anything else is ignored. If there
//       are several, the first valid one counts.
//   R3  A state is satisfiable if a git repository can be in it: every declared name is a ref name,
//       every value is an object id that is not all zeroes, no name has two values, and no name is
//       below another. Invalid values never reach git; such a state waits and expires.
//   R4  A state that declares nothing asks the server to stop tracking, not to delete.
//   R5  A name too long for a file is reported apart, so that its author learns what to change.
#pragma once
#include <optional>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "git/oid.h"
#include "git/ref_name.h"
#include "grasp/identifier.h"
#include "nostr/event.h"

namespace graspd::grasp {

struct RepoState {
  nostr::PublicKey author;
  Identifier identifier;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  git::Refs refs;  // the valid ones of heads and tags
  std::optional<git::RefName> head;
  bool satisfiable = true;    // R3
  std::string too_long = {};  // R5: which name, and why; empty: none is

  bool stops_tracking() const { return satisfiable && refs.empty(); }  // R4
  bool operator==(const RepoState&) const = default;
};

// Of an event of kind 30618; the error is an OK text, `invalid: ` included.
core::Result<RepoState, std::string> parse_state(const nostr::Event& event);

}  // namespace graspd::grasp
