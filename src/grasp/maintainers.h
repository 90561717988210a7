// Who may publish the state of a repository: the authority of one hosted repository, computed from
// the newest announcements of its identifier.
//
//   R1  The root is the owner's key, or the lead that its announcement points to, step by step. A
//       lead must name itself; a missing announcement, a second lead or a circle leaves the
//       repository without any authority.
//   R2  Members are the root and, up to a fixed point, every key that a member lists and that has
//       an active announcement of its own which lists a member back.
//   R3  In compatible mode, an announcement of a member without role tags makes everybody it lists
//       a member at once, with or without an announcement of their own; only a key whose own
//       announcement says that it is inactive stays out.
//   R4  Invited are the keys that a member lists, that are not members and that have not left.
//   R5  Authority belongs to the repository: the owner's key itself may have none.
//   R6  The number of members is limited; those found later do not count.
//
// The work is bounded by the lists reachable from the root, not by the number of strangers who
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
