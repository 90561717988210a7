#include "sim/events.h"

#include "core/rng.h"

namespace graspd::sim {

nostr::EventId event_id(std::uint64_t number) {
  core::Rng rng(number);
  nostr::EventId::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(rng.next());
  return nostr::EventId(bytes);
}

nostr::Address repo_address(std::uint64_t number) {
  nostr::PublicKey::Bytes key{};
  key[0] = static_cast<std::uint8_t>(number % 5);
  return {{30617}, nostr::PublicKey(key), "repo" + std::to_string(number)};
}

namespace {

nostr::Event make(std::uint64_t number, std::uint16_t kind, core::UnixSeconds at) {
  return {.id = event_id(number), .pubkey = {}, .created_at = at, .kind = {kind}};
}
void add(nostr::Event& event, std::initializer_list<std::string_view> row) {
  event.tags.begin_row();
  for (const std::string_view item : row) event.tags.append(item);
}

}  // namespace

nostr::Event announcement(std::uint64_t number, std::uint64_t repo,
                          const std::vector<nostr::RelayUrl>& relays, core::UnixSeconds at,
                          bool lists_us) {
  nostr::Event event = make(number, 30617, at);
  event.pubkey = repo_address(repo).pubkey;
  add(event, {"d", repo_address(repo).identifier});
  event.tags.begin_row();
  event.tags.append("relays");
  if (lists_us) event.tags.append(kOurUrl);
  for (const nostr::RelayUrl& relay : relays) event.tags.append(relay.text());
  return event;
}

nostr::Event state(std::uint64_t number, std::uint64_t repo, core::UnixSeconds at) {
  nostr::Event event = make(number, 30618, at);
  event.pubkey = repo_address(repo).pubkey;
  add(event, {"d", repo_address(repo).identifier});
  return event;
}

nostr::Event issue(std::uint64_t number, std::uint64_t repo, core::UnixSeconds at) {
  nostr::Event event = make(number, 1621, at);
  add(event, {"a", repo_address(repo).text()});
  return event;
}

nostr::Event comment(std::uint64_t number, std::string_view tag, std::string_view value,
                     core::UnixSeconds at) {
  nostr::Event event = make(number, 1111, at);
  add(event, {tag, value});
  return event;
}

}  // namespace graspd::sim
