// Which events an event refers to, and how other events refer to it: the threads that connect
// issues, patches, comments and other events to an accepted repository.
//
//   R1  Outgoing: `a`, `A` and `q` with a colon are addresses; `e`, `E` and `q` without one, ids.
//       Other tags (`p`, `r`, …) are no references. Invalid values are skipped.
//   R2  Each reference once, in order of appearance, at most kReferencesMax: each is a lookup.
//   R3  A replaceable event's address is written `kind:pubkey:` or `kind:pubkey`; both are read.
//   R4  Incoming: events refer to an event by its id, and by its address if it has one.
//   R5  An anchor gives the events connected to it a right to be here. Lists and profiles (the
//       replaceable kinds), deletions and requests to vanish are never anchors: they are about a
//       person, anybody may publish them, and they may name anything.
#pragma once
#include <cstddef>
#include <vector>

#include "nostr/address.h"
#include "nostr/event.h"
#include "nostr/filter.h"

namespace graspd::grasp {

namespace kinds {
inline constexpr nostr::Kind kUserGraspList{10317};
// The private services somebody uses, encrypted to themselves.
inline constexpr nostr::Kind kPrivateGraspList{10318};
}  // namespace kinds

// Far above real threads (a root, a parent, a few quotes), far below what fits into an event.
inline constexpr std::size_t kReferencesMax = 256;

struct References {
  std::vector<nostr::Address> addresses;
  std::vector<nostr::EventId> ids;

  bool empty() const { return addresses.empty() && ids.empty(); }
  bool operator==(const References&) const = default;
};

References references_of(const nostr::Event& event);

// Any of these matches what speaks of the event (R4).
std::vector<nostr::Filter> referrers_of(const nostr::Event& event);
std::vector<nostr::Filter> referrers_of(const nostr::EventId& id);
std::vector<nostr::Filter> referrers_of(const nostr::Address& address);

bool can_anchor(nostr::Kind kind);  // R5

}  // namespace graspd::grasp
