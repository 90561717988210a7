// Who may publish the state of a repository: the authority of one selected view, from the newest
// announcements of its identifier.
//
//   R1  The root is the selected key, or the lead that its announcement points to, step by step. A
//       lead must name itself; a missing announcement, a second lead or a circle leaves the view
//       with no authority at all.
//   R2  Members are the root and, to a fixed point, each key a member lists that has an active
//       announcement of its own which lists a member back.
//   R3  In compatible mode a member's announcement without role tags makes those it lists members
//       at once, with or without an announcement of their own; only one whose own announcement
//       says that it is inactive stays out.
//   R4  Invited are those a member lists who are not members and have not left.
//   R5  Authority belongs to the view: the selected key itself may be outside.
//
// The work is bounded by the lists that can be reached from the root, not by how many strangers
// announce the same identifier.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "grasp/announcement_roles.h"
#include "nostr/keys.h"

namespace graspd::grasp {

enum class Membership { Compatible, Reciprocal };

// By author: the newest announcement of one identifier that each has.
using RolesByAuthor = std::map<nostr::PublicKey, Roles>;

enum class NoRoot {
  SelectedMissing,
  AuthorInactive,
  LeadMissing,
  LeadDoesNotNameItself,
  LeadCycle,
  AmbiguousLeads,
};
std::string_view describe(NoRoot reason);

struct Authority {
  std::optional<nostr::PublicKey> root;
  std::optional<NoRoot> failure;  // set when there is no root
  std::set<nostr::PublicKey> members, invited;

  bool contains(const nostr::PublicKey& key) const { return members.count(key) > 0; }
  bool operator==(const Authority&) const = default;
};

Authority resolve(const nostr::PublicKey& selected, const RolesByAuthor& announcements,
                  Membership membership);
// With the keys whose announcements were looked for: as long as none of these comes, goes or
// changes, neither does the result.
struct Resolution {
  Authority authority;
  std::set<nostr::PublicKey> consulted;
};
Resolution resolve_noting(const nostr::PublicKey& selected, const RolesByAuthor& announcements,
                          Membership membership);

}  // namespace graspd::grasp
