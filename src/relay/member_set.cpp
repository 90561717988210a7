#include "relay/member_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::relay {

MemberSet::MemberSet(const nostr::PublicKey& own, Keys named, Derives derives)
    : own_(own), derives_(derives), named_(std::move(named)) {
  combine();
  generation_ = 1;
}

bool MemberSet::use_named(Keys named) {
  named_ = std::move(named);
  return combine();
}

bool MemberSet::use_derived(Keys derived) {
  offered_ = std::move(derived);
  return combine();
}

bool MemberSet::combine() {
  Keys all = named_;
  all.insert(own_);
  derived_.clear();
  if (derives_ == Derives::Yes)
    std::ranges::set_difference(offered_, all, std::inserter(derived_, derived_.end()));
  all.insert(derived_.begin(), derived_.end());
  if (all == all_) return false;  // R2
  all_ = std::move(all);
  generation_ += 1;
  return true;
}

Keys derived_members(const std::set<nostr::RelayUrl>& listed,
                     const std::vector<PrivatePeer>& peers) {
  Keys keys;
  for (const PrivatePeer& peer : peers)
    if (listed.contains(peer.url)) keys.insert(peer.key);
  return keys;
}

}  // namespace graspd::relay
