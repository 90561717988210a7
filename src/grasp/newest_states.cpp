#include "grasp/newest_states.h"

namespace graspd::grasp {

using nostr::PublicKey;
using nostr::Version;

void NewestStates::put(const PublicKey& author, const Version& version) {
  erase(author);
  by_author_.emplace(author, version);
  by_time_.insert({version, author});
}

bool NewestStates::erase(const PublicKey& author) {
  const auto at = by_author_.find(author);
  if (at == by_author_.end()) return false;
  by_time_.erase({at->second, author});
  by_author_.erase(at);
  return true;
}

std::optional<Version> NewestStates::of(const PublicKey& author) const {
  const auto at = by_author_.find(author);
  if (at == by_author_.end()) return std::nullopt;
  return at->second;
}

// R2. The newest of all, as many as there are members; then the members themselves.
std::optional<Version> NewestStates::newest_of(const std::set<PublicKey>& members) const {
  std::size_t left = members.size();
  for (auto at = by_time_.begin(); at != by_time_.end(); ++at, --left) {
    if (left == 0) break;
    ++looks_;
    if (members.contains(at->author)) return at->version;
  }
  std::optional<Version> newest;
  if (left > 0) return newest;  // all states were looked at
  for (const PublicKey& member : members) {
    ++looks_;
    const auto version = of(member);
    if (version && (!newest || nostr::wins(*version, *newest))) newest = version;
  }
  return newest;
}

}  // namespace graspd::grasp
