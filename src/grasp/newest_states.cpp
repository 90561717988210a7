#include "grasp/newest_states.h"

namespace graspd::grasp {

using nostr::PublicKey;
using nostr::Version;

void NewestStates::put(const PublicKey& author, const Version& version) {
  erase(author);
  by_author_.insert_or_assign(author, version);
  by_time_.insert({version, author});
}

bool NewestStates::erase(const PublicKey& author) {
  const Version* version = by_author_.find(author);
  if (!version) return false;
  by_time_.erase(Signed{*version, author});
  return by_author_.erase(author);
}

std::optional<Version> NewestStates::of(const PublicKey& author) const {
  const Version* version = by_author_.find(author);
  return version ? std::optional(*version) : std::nullopt;
}

// R2. The newest of all, as many as there are members; then the members themselves.
std::optional<Version> NewestStates::newest_of(const std::set<PublicKey>& members,
                                               std::size_t* looks) const {
  std::size_t uncounted = 0;
  std::size_t& looked = looks ? *looks : uncounted;
  std::size_t left = members.size();
  for (auto at = by_time_.begin(); at != by_time_.end(); ++at, --left) {
    if (left == 0) break;
    ++looked;
    if (members.contains(at->author)) return at->version;
  }
  std::optional<Version> newest;
  if (left > 0) return newest;  // all states were looked at
  for (const PublicKey& member : members) {
    ++looked;
    const auto version = of(member);
    if (version && (!newest || nostr::wins(*version, *newest))) newest = version;
  }
  return newest;
}

}  // namespace graspd::grasp
