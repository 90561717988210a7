#include "sync/repo_index.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/secret_hash.h"

namespace graspd::sync {

std::uint64_t RepoIndex::HashId::operator()(const nostr::EventId& id) const {
  std::uint64_t bits = 0;  // an id is a SHA-256: its bytes are mixed already
  std::memcpy(&bits, id.data(), sizeof bits);
  return bits;
}

std::uint64_t RepoIndex::HashAddress::operator()(const nostr::Address& address) const {
  core::SecretHash hash(secret);
  hash.add(address.kind.value);
  hash.add(std::as_bytes(std::span(address.pubkey.bytes())));
  hash.add(std::as_bytes(std::span(address.identifier)));
  return hash.value();
}

RepoId RepoIndex::repo(const nostr::Address& address) {
  const RepoId id = handles_.intern(address);
  if (id.value == repos_.size()) {
    repos_.push_back(
        {.address = address, .text = address.text(), .level = {}, .relays = {}, .roots = {}});
  }
  return id;
}

std::optional<RepoId> RepoIndex::find(const nostr::Address& address) const {
  return handles_.find(address);
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
