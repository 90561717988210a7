// What must change so that a repository is as a state declares it.
//
//   R1  Heads and tags that are not declared go, declared ones come or move; refs/nostr and all
//       other spaces are left alone.
//   R2  HEAD moves only to a declared branch. A state that names none for it leaves it, unless it
//       would name no branch at all, which clones take for an empty repository: then it moves to
//       main, master, or the first branch there is.
//   R3  A state without refs touches nothing: it means "no longer tracked", not "delete all".
//   R4  Deletions come first in the list. git refuses to delete `a` and create `a/b` in one
//       transaction, so whoever performs the updates commits the deletions before the rest when
//       names collide in that way (split_needed).
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
