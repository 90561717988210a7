#include <algorithm>
#include <functional>

#include "sync/engine.h"
#include "sync/target_urls.h"

namespace graspd::sync {

void Engine::stage(core::Now now, FeedItem item) {
  const bool is_first = staged_.empty();
  staged_.push_back(std::move(item));
  if (is_first && feed_complete_) {  // R3
    alarms_.set(kFeedAlarm, now.instant + context_.options.batch_window);
  }
}

void Engine::on(core::Now now, const FeedHistoryEnded& in) {
  (void)in;
  feed_complete_ = true;
  for (const nostr::RelayUrl& url : context_.options.bootstrap) {
    if (is_own(url, context_.options.own_urls) || handles_.contains(url)) continue;
    places_.add_bootstrap(url);
    add_relay(now, url, Reason::Bootstrap);
  }
  commit(now);
}

void Engine::commit(core::Now now) {
  for (const FeedItem& item : std::exchange(staged_, {})) {
    std::visit([&](const auto& one) { apply(now, one); }, item);
  }
  fill_places(now);
}

void Engine::spread(core::Now now) {
  for (const auto& [id, change] : context_.targets.take_changed()) {
    const auto at = relays_.find(id);
    if (at == relays_.end()) continue;
    Relay& relay = *at->second;
    if (PeerSession* connection = relay.connection()) connection->target_changed(now, change);
    tend(now, relay);
  }
}

void Engine::change_repo(RepoId id, const std::function<void()>& change) {
  const Repo before = context_.index.at(id);
  change();
  context_.targets.repo_changed(context_.index, id, before);
}

void Engine::apply(core::Now now, const RepoSeen& in) {
  (void)now;
  const TargetUrls targets = target_urls(in.relays, in.clones, context_.options.own_urls);
  context_.meter.urls_ignored += targets.ignored;
  const RepoId repo = context_.index.repo(in.repo);
  places_.list(repo, in.repo.pubkey, targets.urls);
  std::vector<RelayId> relays;
  for (const nostr::RelayUrl& url : targets.urls) {
    const auto known = handles_.find(url);
    if (known != handles_.end()) relays.push_back(known->second);
  }
  std::sort(relays.begin(), relays.end());
  change_repo(repo, [&] { context_.index.follow(repo, in.level, std::move(relays)); });
}

void Engine::apply(core::Now now, const RepoGone& in) {
  (void)now;
  const auto repo = context_.index.find(in.repo);
  if (!repo) return;
  places_.list(*repo, in.repo.pubkey, {});
  change_repo(*repo, [&] { context_.index.unfollow(*repo); });
}

void Engine::apply(core::Now now, const RootSeen& in) {
  (void)now;
  const auto gained = context_.index.add_root(in.id, in.repos, in.created_at);
  context_.targets.root_added(context_.index, *context_.index.find_root(in.id), gained);
}

void Engine::apply(core::Now now, const RootGone& in) {
  (void)now;
  const auto root = context_.index.find_root(in.id);
  if (root) context_.targets.root_removed(context_.index, *root, context_.index.remove_root(*root));
}

}  // namespace graspd::sync
