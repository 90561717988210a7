#include "sync/feed.h"

#include <algorithm>
#include <utility>

#include "sync/target_urls.h"

namespace graspd::sync {

bool Feed::stage(Item item) {
  staged_.push_back(std::move(item));
  return staged_.size() == 1 && is_complete_;
}

std::vector<RelayId> Feed::end_history(core::Now now) {
  is_complete_ = true;
  std::vector<RelayId> added;
  for (const nostr::RelayUrl& url : context_.options.bootstrap) {
    if (is_own(url, context_.options.own_urls) || relays_.find(url) != nullptr) continue;
    places_.add_bootstrap(url);
    added.push_back(relays_.add(now, url, Reason::Bootstrap).memory.id);
  }
  return added;
}

void Feed::commit() {
  for (const Item& item : std::exchange(staged_, {})) {
    std::visit([this](const auto& one) { apply(one); }, item);
  }
}

void Feed::apply(const RepoSeen& in) {
  const TargetUrls targets = target_urls(in.relays, in.clones, context_.options.own_urls);
  context_.meter.urls_ignored += targets.ignored;
  const RepoId repo = context_.index.repo(in.repo);
  places_.list(repo, in.repo.pubkey, targets.urls);
  std::vector<RelayId> relays;
  for (const nostr::RelayUrl& url : targets.urls) {
    if (const Relay* known = relays_.find(url)) relays.push_back(known->memory.id);
  }
  std::sort(relays.begin(), relays.end());
  change_repo(repo, [&] { context_.index.follow(repo, in.level, std::move(relays)); });
}

void Feed::apply(const RepoGone& in) {
  const auto repo = context_.index.find(in.repo);
  if (!repo) return;
  places_.list(*repo, in.repo.pubkey, {});
  change_repo(*repo, [&] { context_.index.unfollow(*repo); });
}

void Feed::apply(const RootSeen& in) {
  const auto gained = context_.index.add_root(in.id, in.repos, in.created_at);
  context_.targets.root_added(context_.index, *context_.index.find_root(in.id), gained);
}

void Feed::apply(const RootGone& in) {
  const auto root = context_.index.find_root(in.id);
  if (root) context_.targets.root_removed(context_.index, *root, context_.index.remove_root(*root));
}

void Feed::change_repo(RepoId id, const std::function<void()>& change) {
  const Repo before = context_.index.at(id);
  change();
  context_.targets.repo_changed(context_.index, id, before);
}

std::vector<RelayId> Feed::fill_places(core::Now now) {
  std::vector<RelayId> added;
  std::map<RepoId, std::vector<RelayId>> gained;  // R2
  for (const nostr::RelayUrl& url : places_.give()) {
    added.push_back(relays_.add(now, url, Reason::Repository).memory.id);
    for (const RepoId repo : places_.listed_by(url)) gained[repo].push_back(added.back());
  }
  for (const auto& [repo, relays] : gained) link(repo, relays);
  return added;
}

void Feed::link(RepoId repo, const std::vector<RelayId>& more) {
  const auto level = context_.index.at(repo).level;
  if (!level) return;
  std::vector<RelayId> relays = context_.index.at(repo).relays;
  relays.insert(relays.end(), more.begin(), more.end());
  std::sort(relays.begin(), relays.end());
  change_repo(repo, [&] { context_.index.follow(repo, *level, std::move(relays)); });
}

}  // namespace graspd::sync
