// The members of a private service (GRASP-08): they may read everything and announce repositories.
//
//   R1  Members are the keys that the operator names, the service's own key, and derived members:
//       the keys of other private servers that a served announcement lists in `relays`. Derived
//       members can be switched off.
//   R2  A change of who is a member increases the generation; anything else does not.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "nostr/keys.h"
#include "nostr/relay_url.h"

namespace graspd::relay {

using Keys = std::set<nostr::PublicKey>;
using IsMember = std::function<bool(const nostr::PublicKey& key)>;

class MemberSet {
 public:
  enum class Derives { No, Yes };
  MemberSet(const nostr::PublicKey& own, Keys named, Derives derives);

  bool contains(const nostr::PublicKey& key) const { return all_.contains(key); }
  const Keys& all() const { return all_; }
  const Keys& derived() const { return derived_; }  // without those whom the operator names
  std::uint64_t generation() const { return generation_; }

  // True when somebody became a member, or ceased to be one.
  bool use_named(Keys named);
  bool use_derived(Keys derived);

 private:
  bool combine();

  nostr::PublicKey own_;
  Derives derives_;
  Keys named_, offered_, derived_, all_;
  std::uint64_t generation_ = 1;
};

// A relay whose NIP-11 says GRASP-08, and the key it names there.
struct PrivatePeer {
  nostr::RelayUrl url;
  nostr::PublicKey key;
};
// `listed`: the relays of the announcements that are served, never of one that waits.
Keys derived_members(const std::set<nostr::RelayUrl>& listed,
                     const std::vector<PrivatePeer>& peers);

}  // namespace graspd::relay
