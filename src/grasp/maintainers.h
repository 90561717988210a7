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
//   R6  There are at most so many members; those who would come later do not count.
//
// The work is bounded by the lists that can be reached from the root, not by how many strangers
// announce the same identifier.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
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
inline constexpr std::array kAllNoRoots{NoRoot::SelectedMissing, NoRoot::AuthorInactive,
                                        NoRoot::LeadMissing,     NoRoot::LeadDoesNotNameItself,
                                        NoRoot::LeadCycle,       NoRoot::AmbiguousLeads};
std::string_view describe(NoRoot reason);

struct Authority {
  std::optional<nostr::PublicKey> root;
  std::optional<NoRoot> failure;  // set when there is no root
  std::set<nostr::PublicKey> members, invited;

  bool contains(const nostr::PublicKey& key) const { return members.count(key) > 0; }
  bool operator==(const Authority&) const = default;
};

// Computed from nothing: what MemberGraph keeps up to date (grasp/member_graph.h) is compared with
// it. The root comes first, then the lists of members in the order in which they became members.
Authority resolve(const nostr::PublicKey& selected, const RolesByAuthor& announcements,
                  Membership membership,
                  std::size_t members_max = std::numeric_limits<std::size_t>::max());

}  // namespace graspd::grasp
