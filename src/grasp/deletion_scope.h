#pragma once
#include <algorithm>
#include <optional>
#include <set>

#include "nostr/relay_url.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {

// What a request takes of its signer's events: a deletion (kind 5) what it names, a request to
// vanish from here (kind 62) everything up to its time.
class DeletionScope {
 public:
  DeletionScope(const nostr::Event& request, const std::optional<nostr::RelayUrl>& here)
      : until_(request.created_at), asked_(nostr::requested_deletions(request)) {
    all_ = here && nostr::asks_to_vanish_from(request, *here);
    ids_.insert(asked_.ids.begin(), asked_.ids.end());
  }

  bool names(const nostr::EventId& id) const { return ids_.contains(id); }
  bool covers(const nostr::EventId& id, core::UnixSeconds created_at,
              const std::optional<nostr::Address>& address) const {
    if (names(id)) return true;
    const bool named = address && std::ranges::count(asked_.addresses, *address) > 0;
    return created_at <= until_ && (all_ || named);
  }

 private:
  const core::UnixSeconds until_;
  const nostr::Deletions asked_;
  bool all_ = false;
  std::set<nostr::EventId> ids_;
};

}  // namespace graspd::grasp
