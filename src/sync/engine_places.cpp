// Relays beyond the limit: they wait for a place, with the repositories that list them.
#include <algorithm>

#include "sync/engine.h"

namespace graspd::sync {
namespace {

// Strangers write these lists. Beyond, a relay is found again when a repository is announced anew.
constexpr std::size_t kWaitingMax = 50'000;

}  // namespace

void Engine::wait_for_place(const nostr::RelayUrl& url, RepoId repo) {
  if (waiting_pairs_ >= kWaitingMax || !waiting_[url].insert(repo).second) return;
  waits_for_[repo].push_back(url);
  ++waiting_pairs_;
}

void Engine::wait_no_more(RepoId repo) {
  const auto at = waits_for_.find(repo);
  if (at == waits_for_.end()) return;
  for (const nostr::RelayUrl& url : at->second) {
    const auto others = waiting_.find(url);
    others->second.erase(repo);
    if (others->second.empty()) waiting_.erase(others);
  }
  waiting_pairs_ -= at->second.size();
  waits_for_.erase(at);
}

void Engine::link_waiting(RelayId relay, const nostr::RelayUrl& url) {
  const auto at = waiting_.find(url);
  if (at == waiting_.end()) return;
  for (const RepoId repo : at->second) {
    auto& urls = waits_for_.at(repo);
    std::erase(urls, url);
    if (urls.empty()) waits_for_.erase(repo);
    auto relays = desk_.index.at(repo).relays;
    relays.insert(std::upper_bound(relays.begin(), relays.end(), relay), relay);
    const Level level = desk_.index.at(repo).level.value_or(Level::StateOnly);
    change_repo(repo, [&] { desk_.index.follow(repo, level, std::move(relays)); });
  }
  waiting_pairs_ -= at->second.size();
  waiting_.erase(at);
}

// The relay that most repositories wait for goes first.
void Engine::fill_places(core::Now now) {
  while (!waiting_.empty() && relays_.size() < desk_.options.relays_max) {
    const auto next = std::max_element(
        waiting_.begin(), waiting_.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    relay_id(now, nostr::RelayUrl(next->first), Reason::Repository);
  }
  spread(now);
}

}  // namespace graspd::sync
