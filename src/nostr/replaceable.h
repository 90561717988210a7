// Who replaces and who may delete whom: NIP-01, NIP-09, NIP-62.
#pragma once
#include <vector>

#include "core/time.h"
#include "nostr/address.h"
#include "nostr/event.h"

namespace graspd::nostr {

class RelayUrl;

// NIP-01 order of versions of one address: the later wins; in the same second the lower id.
struct Version {
  core::UnixSeconds created_at = 0;
  EventId id;
};
bool wins(const Version& challenger, const Version& holder);

// What one kind 5 event asks to be deleted. Only what its author may ask for is listed:
// addresses of others are left out here, ids are checked against the author when they are known.
// An event of another kind asks for nothing.
struct Deletions {
  std::vector<EventId> ids;
  std::vector<Address> addresses;
};
Deletions requested_deletions(const Event& deletion);

// NIP-62: does this kind 62 event ask the relay at `relay_url` (or all relays) to forget its
// author? Relay URLs are compared by names_same_relay().
bool asks_to_vanish_from(const Event& request, const RelayUrl& relay_url);

}  // namespace graspd::nostr
