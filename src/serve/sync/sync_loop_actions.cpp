#include <algorithm>
#include <fmt/format.h>

#include "core/hex.h"
#include "core/log.h"
#include "core/sha256.h"
#include "net/clock.h"
#include "serve/sync/sync_loop.h"
#include "sync/record_text.h"

namespace graspd::serve {
namespace {

constexpr core::Duration kInformationTimeout{3'000};

// A URL may be longer than a key.
std::string note_key(const nostr::RelayUrl& url) {
  return std::string(SyncLoop::kNotePrefix) + core::encode_hex(core::sha256(url.text()));
}

sync::PeerInformation information_of(nostr::RelayInformation said) {
  return {std::move(said.software),
          std::move(said.supported_nips),
          std::move(said.supported_grasps),
          said.max_subscriptions,
          said.max_filters,
          said.max_message_length,
          said.max_limit,
          nostr::PublicKey::from_hex(said.pubkey)};
}

}  // namespace

bool SyncLoop::may_be_private(const nostr::RelayUrl& url) const {
  const auto& bootstrap = options_.engine.bootstrap;  // the operator's own word
  return options_.allow_private_addresses ||
         std::find(bootstrap.begin(), bootstrap.end(), url) != bootstrap.end();
}

void SyncLoop::perform(const sync::ReadInformation& action) {
  spawn("sync information", read_information(shared_from_this(), action));
}

net::Task<void> SyncLoop::read_information(std::shared_ptr<SyncLoop> self,
                                           sync::ReadInformation action) {
  const nostr::RelayUrl& url = action.url;
  net::DialTarget target{url.host(), url.port(), url.path(), url.is_secure()};
  net::HttpGetOptions options;
  options.timeout = kInformationTimeout;
  options.allow_private_addresses = self->may_be_private(url);
  options.headers.add("Accept", "application/nostr+json");
  options.headers.add("User-Agent", self->options_.user_agent);
  const auto response = co_await self->dialer_->http_get(std::move(target), std::move(options));
  sync::InformationRead read{action.relay, action.session, std::nullopt};
  if (response && response->status == 200) {
    nostr::JsonReader reader;
    auto information = reader.relay_information(response->body);
    if (information) read.information = information_of(*std::move(information));
  }
  self->tell(std::move(read));
}

void SyncLoop::perform(const sync::Dial& action) {
  auto& rate = rates_[action.url.text()];
  if (!rate) rate = std::make_shared<sync::IntakeRate>(options_.intake, net::now().instant);
  auto link = std::make_shared<PeerLink>(context_, action.relay, action.session, action.url, rate);
  links_[action.relay] = link;
  net::DialOptions options;
  options.dial_timeout = action.patience;
  options.allow_private_addresses = may_be_private(action.url);
  options.headers.add("User-Agent", options_.user_agent);
  options.idle_timeout = options_.engine.silent_max;
  auto run = PeerLink::run(link, dialer_.get(), std::move(options));
  spawn("sync link", keep_link(shared_from_this(), std::move(link), std::move(run)));
}

net::Task<void> SyncLoop::keep_link(std::shared_ptr<SyncLoop> self, std::shared_ptr<PeerLink> link,
                                    net::Task<void> run) {
  co_await std::move(run);
  SyncTraffic& traffic = self->traffic_[link->url().text()];
  add(traffic, *link);
  std::erase_if(self->links_, [&](const auto& one) { return one.second == link; });
}

void SyncLoop::check_held() {
  constexpr std::size_t kKib = 1024;
  while (const auto session = held_.to_drop()) {
    const std::string why = fmt::format(
        "it kept us holding {} KiB of unfinished or undecided messages, more than any other relay, "
        "when all relays together passed {} KiB (NGIT_SYNC_MAX_HELD_BYTES)",
        held_.held_by(*session) / kKib, held_.max() / kKib);
    held_.hold(*session, 0);
    const auto at = std::find_if(links_.begin(), links_.end(), [&](const auto& one) {
      return one.second->session() == *session;
    });
    if (at != links_.end()) std::shared_ptr(at->second)->drop(why);
  }
}

void SyncLoop::perform(const sync::HangUp& action) {
  with_link(action.relay, action.session, [&](PeerLink& link) { link.leave(action.why); });
}

void SyncLoop::perform(const sync::Subscribe& action) {
  with_link(action.relay, action.session, [&](PeerLink& link) { link.subscribe(action); });
}

void SyncLoop::perform(const sync::Unsubscribe& action) {
  with_link(action.relay, action.session, [&](PeerLink& link) { link.unsubscribe(action.sub); });
}

void SyncLoop::perform(const sync::NegOpen& action) {
  with_link(action.relay, action.session,
            [&](PeerLink& link) { link.open_reconciliation(action); });
}

void SyncLoop::perform(const sync::NegContinue& action) {
  with_link(action.relay, action.session,
            [&](PeerLink& link) { link.continue_reconciliation(action.sub); });
}

void SyncLoop::perform(const sync::NegClose& action) {
  with_link(action.relay, action.session,
            [&](PeerLink& link) { link.close_reconciliation(action.sub); });
}

void SyncLoop::perform(const sync::Authenticate& action) {
  with_link(action.relay, action.session, [](PeerLink& link) { link.authenticate(); });
}

void SyncLoop::perform(const sync::LookUp& action) {
  sync::LookedUp found{action.relay, action.session, {}};
  for (const nostr::EventId& id : action.ids) {
    if (intake_.knows(id)) found.known.push_back(id);
  }
  tell(std::move(found));
}

void SyncLoop::perform(const sync::Save& action) {
  const std::string key = note_key(action.record.url);
  records_.insert_or_assign(key, store::Note{key, sync::to_text(action.record)});
}

void SyncLoop::perform(const sync::Forget& action) {
  const std::string key = note_key(action.url);
  records_.insert_or_assign(key, store::Note{key, std::nullopt});
}

void SyncLoop::perform(const sync::Log& action) { core::log::write(action.level, action.text); }

void SyncLoop::perform(const sync::WakeAt& action) { alarm_.set(action.at); }

}  // namespace graspd::serve
