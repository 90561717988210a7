#include "grasp/related.h"

#include <algorithm>
#include <limits>

#include "grasp/references.h"
#include "nostr/json.h"

namespace graspd::grasp {
namespace {

// How many events that speak of another are looked at, in search of one that anchors.
constexpr std::uint64_t kReferrersMax = 50;

bool anchors(std::string_view json) {
  const auto event = nostr::JsonReader().event(json);
  return event && can_anchor(event->kind);
}

bool any_anchors(std::vector<nostr::Filter> filters, const store::Snapshot& here,
                 core::UnixSeconds now) {
  if (filters.empty()) return false;
  for (nostr::Filter& filter : filters) filter.limit = kReferrersMax;
  store::Cursor cursor(std::move(filters), std::numeric_limits<store::Serial>::max());
  bool found = false;
  const auto visit = [&](const store::Found& event) { found = found || anchors(event.json); };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (found) return true;
    if (!read || *read == store::ReadState::Finished) return false;
  }
}

nostr::Filter filter_of(const nostr::Address& address) {
  nostr::Filter filter;
  filter.authors = {{address.pubkey}};
  filter.kinds = {{address.kind}};
  if (nostr::is_addressable(address.kind)) filter.tags = {{'d', {address.identifier}}};
  return filter;
}

class Search {
 public:
  Search(const Catalog& catalog, const store::Snapshot& here, const InFlight& in_flight,
         core::UnixSeconds now)
      : catalog_(catalog), here_(here), in_flight_(in_flight), now_(now) {}

  bool is_anchor(const nostr::Address& address) const {
    if (!can_anchor(address.kind)) return false;
    if (in_flight_.addresses.contains(address)) return true;
    if (address.kind != kinds::kAnnouncement) return any_anchors({filter_of(address)}, here_, now_);
    const auto coordinate = Coordinate::from_address(address);
    const Listing* listing = coordinate ? catalog_.find(*coordinate) : nullptr;
    return listing && listing->place == Place::Served;
  }
  bool is_anchor(const nostr::EventId& id) const {
    if (in_flight_.ids.contains(id)) return true;
    const auto json = here_.find_json(id);
    return json && anchors(*json);
  }
  bool is_named(const nostr::Event& event) const {
    return any_anchors(referrers_of(event), here_, now_);
  }

 private:
  const Catalog& catalog_;
  const store::Snapshot& here_;
  const InFlight& in_flight_;
  core::UnixSeconds now_;
};

}  // namespace

std::string waits_for(const nostr::EventId& id) { return "e:" + id.hex(); }
std::string waits_for(const nostr::Address& address) { return "a:" + address.text(); }
std::string waits_to_be_named(const nostr::EventId& id) { return "named-e:" + id.hex(); }
std::string waits_to_be_named(const nostr::Address& address) { return "named-a:" + address.text(); }
std::string waits_for_role(const nostr::PublicKey& author, const Identifier& identifier) {
  return "role:" + author.hex() + ":" + identifier.text();
}
std::string waits_for_author(const nostr::PublicKey& author) { return "p:" + author.hex(); }

std::string waits_for_end(const nostr::Address& address) { return "end:" + address.text(); }

bool has_stored(const nostr::Address& address, const store::Snapshot& here, core::UnixSeconds now) {
  nostr::Filter filter = filter_of(address);
  filter.limit = 1;
  store::Cursor cursor({filter}, std::numeric_limits<store::Serial>::max());
  bool found = false;
  const auto visit = [&](const store::Found&) { found = true; };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (found || !read || *read == store::ReadState::Finished) return found;
  }
}

bool is_related(const nostr::Event& event, const Catalog& catalog, const store::Snapshot& here,
                const InFlight& in_flight, core::UnixSeconds now) {
  const Search search(catalog, here, in_flight, now);
  const References out = references_of(event);
  const auto is_anchor = [&](const auto& reference) { return search.is_anchor(reference); };
  return std::ranges::any_of(out.addresses, is_anchor) || std::ranges::any_of(out.ids, is_anchor) ||
         search.is_named(event);
}

std::vector<std::string> lacks_of(const nostr::Event& event) {
  const nostr::Kind kind = event.kind;
  if (kind == kinds::kAnnouncement || kind == kinds::kState) {
    const auto identifier = Identifier::parse(nostr::identifier(event));
    if (!identifier) return {};
    return {waits_for_role(event.pubkey, *identifier)};
  }
  if (kind == nostr::kinds::kMetadata || kind == nostr::kinds::kRelayList)
    return {waits_for_author(event.pubkey)};
  std::vector<std::string> keys{waits_to_be_named(event.id)};
  if (const auto address = nostr::address_of(event)) keys.push_back(waits_to_be_named(*address));
  const References out = references_of(event);
  for (const auto& address : out.addresses) keys.push_back(waits_for(address));
  for (const auto& id : out.ids) keys.push_back(waits_for(id));
  return keys;
}

std::vector<std::string> calls_of(const nostr::Event& event) {
  if (!can_anchor(event.kind)) return {};
  std::vector<std::string> keys{waits_for(event.id), waits_for_author(event.pubkey)};
  if (const auto address = nostr::address_of(event)) keys.push_back(waits_for(*address));
  const References out = references_of(event);
  for (const auto& address : out.addresses) keys.push_back(waits_to_be_named(address));
  for (const auto& id : out.ids) keys.push_back(waits_to_be_named(id));
  return keys;
}

}  // namespace graspd::grasp
