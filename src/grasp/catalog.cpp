#include "grasp/catalog.h"

#include <algorithm>

namespace graspd::grasp {

void Catalog::put(Listing listing) {
  const Coordinate coordinate = listing.announcement.coordinate;
  IdentifierGroup& group = this->group(coordinate.identifier);
  if (const Listing* before = group.listings.find(coordinate.owner)) {
    count(*before, -1);
    group.repos -= before->hosts ? 1 : 0;
  }
  count(listing, 1);
  group.repos += listing.hosts ? 1 : 0;
  by_owner_[coordinate.owner].insert(coordinate.identifier);
  group.graph.put(coordinate.owner, listing.announcement.roles, listing.hosts);
  group.listings.insert_or_assign(coordinate.owner, std::move(listing));
  changed_.insert(coordinate);
}

// The coordinate may be that of the listing itself.
void Catalog::erase(Coordinate coordinate) {
  const Listing* listing = find(coordinate);
  if (!listing) return;
  IdentifierGroup& group = this->group(coordinate.identifier);
  count(*listing, -1);
  group.repos -= listing->hosts ? 1 : 0;
  Identifiers& owned = by_owner_[coordinate.owner];
  owned.erase(coordinate.identifier);
  if (owned.empty()) by_owner_.erase(coordinate.owner);
  group.graph.erase(coordinate.owner);
  group.listings.erase(coordinate.owner);
  changed_.insert(coordinate);
  drop_if_empty(coordinate.identifier);
}

void Catalog::drop_if_empty(const Identifier& identifier) {
  const IdentifierGroup* found = groups_.find(identifier);
  if (found && found->listings.empty() && found->states.empty()) groups_.erase(identifier);
}

void Catalog::count(const Listing& listing, std::ptrdiff_t by) {
  if (listing.place != Place::Served) return;
  if (listing.hosts) served_repos_ += static_cast<std::size_t>(by);
  const auto add = [&](const nostr::PublicKey& key) {
    std::size_t& announcements = involved_[key];
    announcements += static_cast<std::size_t>(by);
    if (announcements == 0) involved_.erase(key);
  };
  add(listing.announcement.coordinate.owner);
  for (const nostr::PublicKey& key : listing.announcement.roles.listed) add(key);
}

Catalog::IdentifierGroup& Catalog::group(const Identifier& identifier) {
  return groups_.find_or_make(identifier,
                              [&] { return IdentifierGroup(membership_, members_max_); });
}

const Listing* Catalog::find(const Coordinate& coordinate) const {
  const IdentifierGroup* found = group(coordinate.identifier);
  return found ? found->listings.find(coordinate.owner) : nullptr;
}

bool Catalog::is_hosted(const Coordinate& coordinate) const {
  const Listing* listing = find(coordinate);
  return listing && listing->hosts;
}

bool Catalog::has_repos(const Identifier& identifier) const {
  const IdentifierGroup* found = group(identifier);
  return found && found->repos > 0;
}

std::vector<Coordinate> Catalog::repos(const Identifier& identifier) const {
  std::vector<Coordinate> repos;
  if (const IdentifierGroup* found = group(identifier))
    for (const auto& [owner, listing] : found->listings)
      if (listing.hosts) repos.push_back({owner, identifier});
  return repos;
}

std::vector<Coordinate> Catalog::served_repos(const Identifier& identifier) const {
  std::vector<Coordinate> repos;
  if (const IdentifierGroup* found = group(identifier))
    for (const auto& [owner, listing] : found->listings)
      if (listing.hosts && listing.place == Place::Served) repos.push_back({owner, identifier});
  return repos;
}

std::vector<Coordinate> Catalog::repos_ruled_by(const nostr::PublicKey& author,
                                                const Identifier& identifier) const {
  std::vector<Coordinate> ruled;
  if (const IdentifierGroup* found = group(identifier))
    for (const nostr::PublicKey& owner : found->graph.ruled_by(author))
      ruled.push_back({owner, identifier});
  return ruled;
}

std::optional<std::vector<Coordinate>> Catalog::all_repos_ruled_by(
    const nostr::PublicKey& author, const Identifier& identifier) const {
  std::vector<Coordinate> ruled;
  const IdentifierGroup* found = group(identifier);
  if (!found) return ruled;
  bool is_all = true;
  for (const nostr::PublicKey& owner : found->graph.ruled_by(author, &is_all))
    ruled.push_back({owner, identifier});
  if (!is_all) return std::nullopt;
  return ruled;
}

const Authority& Catalog::authority(const Coordinate& repo) const {
  static const Authority kNone{.failure = NoRoot::SelectedMissing};
  const IdentifierGroup* found = group(repo.identifier);
  if (!found || !found->listings.contains(repo.owner)) return kNone;
  return found->graph.authority(repo.owner);
}

bool Catalog::rules_itself(const Coordinate& repo) const {
  const IdentifierGroup* found = group(repo.identifier);
  return found && found->graph.rules_itself(repo.owner);
}

// Whoever has too many by the doing of others may still change everything else.
bool Catalog::has_too_many_members(const Announcement& with) const {
  const nostr::PublicKey& owner = with.coordinate.owner;
  const IdentifierGroup* found = group(with.coordinate.identifier);
  const Listing* known = find(with.coordinate);
  if (!found) return with.roles.listed.size() >= members_max_;
  if (known && std::ranges::includes(known->announcement.roles.listed, with.roles.listed))
    return false;
  MemberGraph graph = found->graph;
  graph.put(owner, with.roles, false);
  return graph.is_cut(owner);
}

bool Catalog::is_wanted(const nostr::PublicKey& key, const Identifier& identifier, By whom) const {
  const IdentifierGroup* found = group(identifier);
  return found && found->graph.is_wanted(key, [&](const nostr::PublicKey& owner) {
    return whom == By::AnyRepo || found->listings.at(owner).place == Place::Served;
  });
}

std::vector<nostr::PublicKey> Catalog::concerned_by(const Coordinate& announcement) const {
  const IdentifierGroup* found = group(announcement.identifier);
  return found ? found->graph.concerned_by(announcement.owner) : std::vector<nostr::PublicKey>{};
}

bool Catalog::is_waiting_guest(const Coordinate& coordinate) const {
  const Listing* listing = find(coordinate);
  return listing && !listing->hosts && listing->place == Place::Waiting;
}

bool Catalog::is_involved(const nostr::PublicKey& key) const { return involved_.contains(key); }

void Catalog::put_state(const nostr::PublicKey& author, const Identifier& identifier,
                        const nostr::Version& version) {
  group(identifier).states.put(author, version);
  states_by_author_[author].insert(identifier);
}

void Catalog::erase_state(const nostr::PublicKey& author, const Identifier& identifier) {
  if (!state_of(author, identifier)) return;
  group(identifier).states.erase(author);
  Identifiers& written = states_by_author_[author];
  written.erase(identifier);
  if (written.empty()) states_by_author_.erase(author);
  drop_if_empty(identifier);
}

std::optional<nostr::Version> Catalog::served_state(const Coordinate& repo) const {
  const IdentifierGroup* found = group(repo.identifier);
  if (!found || found->states.empty()) return std::nullopt;  // who rules it need not be computed
  return found->states.newest_of(authority(repo).members);
}

std::optional<nostr::Version> Catalog::state_of(const nostr::PublicKey& author,
                                                const Identifier& identifier) const {
  const IdentifierGroup* found = group(identifier);
  return found ? found->states.of(author) : std::nullopt;
}

std::vector<std::pair<Identifier, nostr::Version>> Catalog::states_of(
    const nostr::PublicKey& author) const {
  std::vector<std::pair<Identifier, nostr::Version>> states;
  const Identifiers* written = states_by_author_.find(author);
  if (!written) return states;
  for (const Identifier& identifier : *written)
    states.emplace_back(identifier, *state_of(author, identifier));
  return states;
}

std::vector<Coordinate> Catalog::of_owner(const nostr::PublicKey& owner) const {
  std::vector<Coordinate> owned;
  const Identifiers* identifiers = by_owner_.find(owner);
  if (!identifiers) return owned;
  for (const Identifier& identifier : *identifiers) owned.push_back({owner, identifier});
  return owned;
}

std::vector<const Listing*> Catalog::served() const {
  std::vector<const Listing*> all;
  for (const auto& [identifier, group] : groups_)
    for (const auto& [owner, listing] : group.listings)
      if (listing.hosts && listing.place == Place::Served) all.push_back(&listing);
  return all;
}

}  // namespace graspd::grasp
