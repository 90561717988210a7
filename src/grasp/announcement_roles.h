// What one announcement says about who maintains: role tags `M` (lead), `m` (co-maintainer), `o`
// (moderator), or the older `maintainers` tag.
//
//   R1  Any tag named M, m or o, even without a key, means role format: `maintainers` is ignored.
//   R2  An entry is active when it has no times, or an odd number: begun and not ended. Each time
//       is 1 to 20 digits that fit 64 bits; `defer` may stand last in an end position. Anything
//       else makes the entry malformed: it grants nothing.
//   R3  A role key is hex in either case; anything else is ignored. If a key has several entries,
//       one active M or m suffices; `o` never makes a maintainer.
//   R4  The author is active unless it has entries of its own (of any letter, even ended or
//       malformed) and none of them is an active M or m. This outweighs what others list.
//   R5  Without role tags, the values of the first `maintainers` tag are listed: lower-case hex
//       only, as the older format always required.
//   R6  The author is never in its own list.
//   R7  If there are more keys than allowed, the first ones in tag order are used, and the rest is
//       only counted.
#pragma once
#include <cstddef>
#include <limits>
#include <set>

#include "nostr/event.h"
#include "nostr/keys.h"

namespace graspd::grasp {

struct Roles {
  bool role_format = false;
  bool author_active = true;
  std::set<nostr::PublicKey> listed;        // as maintainers, the author excepted
  std::set<nostr::PublicKey> active_leads;  // may hold the author
  std::size_t left_out = 0;                 // R7

  bool operator==(const Roles&) const = default;
};

inline constexpr std::size_t kListedWithoutLimit = std::numeric_limits<std::size_t>::max();
Roles parse_roles(const nostr::Event& announcement, std::size_t listed_max = kListedWithoutLimit);

}  // namespace graspd::grasp
