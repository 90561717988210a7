#include "sync/repo_index.h"

#include <algorithm>
#include <cstring>

namespace graspd::sync {

std::uint64_t RepoIndex::HashId::operator()(const nostr::EventId& id) const {
  std::uint64_t bits = 0;  // an id is a SHA-256: its bytes are mixed already
  std::memcpy(&bits, id.data(), sizeof bits);
  return bits;
}

RepoId RepoIndex::repo(const nostr::Address& address) {
  const auto [at, is_new] =
      handles_.try_emplace(address, RepoId{static_cast<std::uint32_t>(repos_.size())});
  if (is_new) {
    repos_.push_back(
        {.address = address, .text = address.text(), .level = {}, .relays = {}, .roots = {}});
  }
  return at->second;
}

std::optional<RepoId> RepoIndex::find(const nostr::Address& address) const {
  const auto at = handles_.find(address);
  if (at == handles_.end()) return std::nullopt;
  return at->second;
}

void RepoIndex::follow(RepoId id, Level level, std::vector<RelayId> relays) {
  Repo& repo = repos_[id.value];
  repo.level = std::max(level, repo.level.value_or(level));  // R3
  repo.relays = std::move(relays);
}

void RepoIndex::unfollow(RepoId id) {
  repos_[id.value].level.reset();
  repos_[id.value].relays.clear();
}

std::vector<RepoId> RepoIndex::add_root(const nostr::EventId& id,
                                        const std::vector<nostr::Address>& repos,
                                        core::UnixSeconds created_at) {
  const RootId root = roots_.intern(id);
  repos_of_.resize(roots_.size());
  last_active_.resize(roots_.size(), 0);
  last_active_[root.value] = std::max(last_active_[root.value], created_at);
  std::vector<RepoId> gained;
  for (const nostr::Address& address : repos) {
    const RepoId owner = repo(address);
    if (!repos_[owner.value].roots.add(root.value)) continue;
    repos_of_[root.value].push_back(owner);
    gained.push_back(owner);
  }
  return gained;
}

std::vector<RepoId> RepoIndex::remove_root(RootId id) {
  std::vector<RepoId> lost;
  std::swap(lost, repos_of_[id.value]);
  for (const RepoId repo : lost) repos_[repo.value].roots.remove(id.value);
  return lost;
}

void RepoIndex::touch(const nostr::EventId& id, core::UnixSeconds at) {
  const auto root = roots_.find(id);
  if (root) last_active_[root->value] = std::max(last_active_[root->value], at);
}

}  // namespace graspd::sync
