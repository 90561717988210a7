#include "app/server/member_service.h"

#include "app/config/setting_private.h"
#include "core/log.h"
#include "net/clock.h"
#include "nostr/json_writer.h"
#include "nostr/nip19.h"
#include "relay/git_access.h"
#include "relay/http_auth.h"
#include "serve/runtime/random.h"

namespace graspd::app {
namespace {

relay::MemberSet member_set(const Settings& settings, const OwnerKey& owner) {
  using Derives = relay::MemberSet::Derives;
  return {owner.keypair.public_key(), named_members(settings),
          settings.private_service.derives_members ? Derives::Yes : Derives::No};
}

std::string realm(const Settings& settings, std::uint16_t port) {
  return service_domain(settings, port) + (settings.base_path == "/" ? "" : settings.base_path);
}

std::set<nostr::RelayUrl> listed_relays(const grasp::Catalog& catalog) {
  std::set<nostr::RelayUrl> urls;
  for (const grasp::Listing* listing : catalog.served())
    for (const std::string& text : listing->announcement.relays)
      if (auto url = nostr::RelayUrl::parse(text)) urls.insert(*std::move(url));
  return urls;
}

}  // namespace

MemberService::MemberService(const Settings& settings, const OwnerKey& owner, std::uint16_t port)
    : identity_(owner.keypair),
      fetches_from_all_(settings.private_service.syncs_with_public),
      members_(member_set(settings, owner)),
      gate_(std::make_shared<serve::MemberGate>(private_origin(settings, port),
                                                realm(settings, port), members_)) {
  for (const nostr::RelayUrl& url : settings.sync.engine.bootstrap)
    bootstrap_.emplace(url.host(), url.port());
  members_.listen([this] {
    const auto now = members_.now();
    core::log::info("the private service has {} members, {} of them derived", now->all().size(),
                    now->derived().size());
  });
}

void MemberService::follow(const sync::SyncReport& report, const grasp::Catalog& catalog) {
  std::vector<relay::PrivatePeer> peers;
  std::set<Place> places;
  for (const sync::RelayStatus& peer : report.status.relays) {
    const auto url = nostr::RelayUrl::parse(peer.url);
    if (!peer.is_private || !url) continue;
    places.emplace(url->host(), url->port());
    if (peer.pubkey) peers.push_back({*url, *peer.pubkey});
  }
  {
    const std::lock_guard lock(mutex_);
    peers_ = std::move(places);
  }
  members_.use_derived(peers.empty() ? relay::Keys()
                                     : relay::derived_members(listed_relays(catalog), peers));
}

http::Response MemberService::page() const {
  const auto now = members_.now();
  std::string text;
  nostr::JsonWriter json(text);
  json.open('{').field("generation", now->generation()).key("members").open('[');
  for (const nostr::PublicKey& key : now->all())
    if (!now->derived().contains(key)) json.put(nostr::nip19::npub(key));
  json.close(']').key("derived").open('[');
  for (const nostr::PublicKey& key : now->derived()) json.put(nostr::nip19::npub(key));
  json.close(']').close('}');
  return http::json_response(200, text + "\n");
}

gitio::RemoteAccess MemberService::access(const git::FetchUrl& url) const {
  const Place place(url.host(), url.port());
  bool is_peer = false;
  {
    const std::lock_guard lock(mutex_);
    is_peer = peers_.contains(place);
  }
  const auto root = is_peer ? relay::git_root(url.text()) : std::nullopt;
  if (!root) return {fetches_from_all_ || bootstrap_.contains(place), ""};
  const nostr::Draft draft = relay::http_auth_draft("GET", *root, "");
  nostr::Event event{.created_at = net::now().unix_seconds, .kind = draft.kind, .tags = draft.tags};
  std::array<std::uint8_t, 32> randomness;
  serve::fill_random(randomness);
  identity_.sign(event, randomness);
  return {true, relay::http_auth_header(event)};
}

}  // namespace graspd::app
