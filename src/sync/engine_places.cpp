// Relays that get a place, and the repositories that waited for it.
#include <algorithm>

#include "sync/engine.h"

namespace graspd::sync {

RelayId Engine::add_relay(core::Now now, const nostr::RelayUrl& url, Reason reason) {
  const RelayId id{next_relay_++};
  auto relay = std::make_unique<Relay>(
      Relay{.memory = {.id = id, .url = url, .bootstrap = reason == Reason::Bootstrap},
            .reason = reason});
  const auto record = records_.find(url);
  if (record != records_.end()) {
    relay->memory.health = Health(record->second.health, now);
    relay->memory.lessons = record->second.lessons;
    relay->memory.lost.restore(record->second.lost, now.instant);
    records_.erase(record);
  }
  handles_.emplace(url, id);
  tend(now, *relays_.emplace(id, std::move(relay)).first->second);
  return id;
}

// A repository changes once, however many of its relays got a place.
void Engine::fill_places(core::Now now) {
  std::map<RepoId, std::vector<RelayId>> gained;
  for (const nostr::RelayUrl& url : places_.give()) {
    const RelayId relay = add_relay(now, url, Reason::Repository);
    for (const RepoId repo : places_.listed_by(url)) gained[repo].push_back(relay);
  }
  for (const auto& [repo, relays] : gained) link(repo, relays);
  spread(now);
}

void Engine::link(RepoId repo, const std::vector<RelayId>& more) {
  const auto level = context_.index.at(repo).level;
  if (!level) return;
  std::vector<RelayId> relays = context_.index.at(repo).relays;
  relays.insert(relays.end(), more.begin(), more.end());
  std::sort(relays.begin(), relays.end());
  change_repo(repo, [&] { context_.index.follow(repo, *level, std::move(relays)); });
}

}  // namespace graspd::sync
