// Which events an event speaks of, and how others would speak of it: the threads that tie
// issues, patches, comments and the rest to an accepted repository.
//
//   R1  Out: `a`, `A` and `q` with a colon are addresses; `e`, `E` and `q` without one are ids.
//       Others (`p`, `r`, …) tie nothing. What cannot be read is skipped.
//   R2  Each reference once, in order of appearance, at most kReferencesMax: each is a lookup.
//   R3  A replaceable event's address is written `kind:pubkey:` or `kind:pubkey`; both are read.
//   R4  In: an event is spoken of by its id, and by its address if it has one.
//   R5  An anchor gives what it ties to itself a right to be here. Lists and profiles (the
//       replaceable kinds), deletions and requests to vanish never do: they are about a person,
//       anybody may publish them, and they name whatever they like.
#pragma once
#include <cstddef>
#include <vector>

#include "nostr/address.h"
#include "nostr/event.h"
#include "nostr/filter.h"

namespace graspd::grasp {

namespace kinds {
inline constexpr nostr::Kind kUserGraspList{10317};
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
