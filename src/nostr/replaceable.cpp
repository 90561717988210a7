#include "nostr/replaceable.h"

#include "nostr/relay_url.h"

namespace graspd::nostr {
namespace {

// The word that means every relay there is.
constexpr std::string_view kAllRelays = "ALL_RELAYS";

bool names(std::string_view relay, const RelayUrl& relay_url) {
  if (relay == kAllRelays) return true;
  const auto named = RelayUrl::parse(relay);
  return named && names_same_relay(*named, relay_url);
}

}  // namespace

bool wins(const Version& challenger, const Version& holder) {
  if (challenger.created_at != holder.created_at) return challenger.created_at > holder.created_at;
  return challenger.id < holder.id;
}

Deletions requested_deletions(const Event& deletion) {
  Deletions deletions;
  if (deletion.kind != kinds::kDeletion) return deletions;
  for (Tag tag : deletion.tags) {
    if (tag.name() == "e") {
      if (auto id = EventId::from_hex(tag.value())) deletions.ids.push_back(*id);
    } else if (tag.name() == "a") {
      auto address = Address::parse(tag.value());
      if (address && address->pubkey == deletion.pubkey) {
        deletions.addresses.push_back(*std::move(address));
      }
    }
  }
  return deletions;
}

bool asks_to_vanish_from(const Event& request, const RelayUrl& relay_url) {
  if (request.kind != kinds::kVanish) return false;
  for (Tag tag : request.tags) {
    if (tag.name() == "relay" && names(tag.value(), relay_url)) return true;
  }
  return false;
}

}  // namespace graspd::nostr
