// What must change so that a repository is as a state declares it.
//
//   R1  Undeclared heads and tags are deleted; declared ones are created or moved. refs/nostr and
//       all other namespaces are left alone.
//   R2  HEAD moves only to a declared branch. If the state names none for it, HEAD stays, unless it
//       would then point to no branch, which clones take for an empty repository: then it moves to
//       main, master, or the first branch.
//   R3  A state without refs changes nothing: it means "no longer tracked", not "delete all".
//   R4  Deletions come first in the list. git refuses to delete `a` and create `a/b` in one
//       transaction. So whoever performs the updates commits the deletions before the rest if names
//       collide in that way (split_needed).
#pragma once
#include <optional>
#include <vector>

#include "git/oid.h"
#include "git/ref_name.h"

namespace graspd::git {

struct RefUpdate {
  RefName ref;
  std::optional<Oid> old_oid;  // none: the ref must not exist
  std::optional<Oid> new_oid;  // none: the ref goes

  bool operator==(const RefUpdate&) const = default;
};

struct RefTransaction {
  std::vector<RefUpdate> updates;
  std::optional<RefName> head;

  bool empty() const { return updates.empty() && !head; }
  bool operator==(const RefTransaction&) const = default;
};

RefTransaction align(const Refs& current, const Refs& declared,
                     const std::optional<RefName>& declared_head,
                     const std::optional<RefName>& current_head);

// Is a ref deleted whose name is a directory of a ref that is created, or the other way round (R4)?
bool split_needed(const RefTransaction& transaction);

}  // namespace graspd::git
