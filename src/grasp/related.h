// Decides whether an event belongs here: is it connected to an accepted repository?
//
//   R1  An event belongs here if it refers to an accepted announcement or to a stored event, or if
//       a stored event refers to it. Stored events were connected to a repository when they came,
//       so a chain of any length leads to one.
//   R2  Events that cannot be anchors (grasp/references.h) connect nothing.
//   R3  Repositories and pull requests that wait in purgatory are not accepted yet.
//   R4  The dependencies that are missing follow from the event alone: the keys of lacks_of().
#pragma once
#include <set>
#include <string>
#include <vector>

#include "grasp/catalog.h"
#include "nostr/address.h"
#include "nostr/event.h"
#include "store/event_store.h"

namespace graspd::grasp {

// Accepted in this batch, not yet to be found in the store.
struct InFlight {
  std::set<nostr::EventId> ids;
  std::set<nostr::Address> addresses;
};

bool has_stored(const nostr::Address& address, const store::Snapshot& here, core::UnixSeconds now);
bool is_related(const nostr::Event& event, const Catalog& catalog, const store::Snapshot& here,
                const InFlight& in_flight, core::UnixSeconds now);

// Keys of the waiting space.
std::string waits_for(const nostr::EventId& id);
std::string waits_for(const nostr::Address& address);
std::string waits_to_be_named(const nostr::EventId& id);
std::string waits_to_be_named(const nostr::Address& address);
// Until somebody here lists the author as a maintainer.
std::string waits_for_role(const nostr::PublicKey& author, const Identifier& identifier);
std::string waits_for_author(const nostr::PublicKey& author);
// Until the version that won over it, and waits for its git data, is gone.
std::string waits_for_end(const nostr::Address& address);

// The keys under which an event waits when it is refused for lack of something.
std::vector<std::string> lacks_of(const nostr::Event& event);
// What the arrival of this event calls.
std::vector<std::string> calls_of(const nostr::Event& event);

}  // namespace graspd::grasp
