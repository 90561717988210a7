// What one announcement says about who maintains: role tags `M` (lead), `m` (co-maintainer), `o`
// (moderator), or the older `maintainers` tag.
//
//   R1  Any tag named M, m or o, even without a key, means role format: `maintainers` is ignored.
//   R2  An entry is active when it has no times, or an odd number: begun and not ended. Each time
//       is 1 to 20 digits that fit 64 bits; `defer` may stand last in an end position. Anything
//       else makes the entry malformed: it gives nothing.
//   R3  A role key is hex of either case; one that is none is ignored. Of several entries of a key
//       one active M or m suffices; `o` never makes a maintainer.
//   R4  The author is active unless it has an entry of its own (of any letter, ended and malformed
//       ones too) and none of them is an active M or m. This beats what others list.
//   R5  Without role tags the values of the first `maintainers` tag are listed: lower-case hex
//       only, as the older format always meant it.
//   R6  The author is never in its own list.
//   R7  Of more keys than are allowed the first count, in the order of the tags; the rest is only
//       counted.
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
