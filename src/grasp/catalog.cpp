#include "grasp/catalog.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::grasp {

void Catalog::put(Listing listing) {
  const Coordinate coordinate = listing.announcement.coordinate;
  erase(coordinate);
  count(listing, 1);
  by_owner_[coordinate.owner].insert(coordinate.identifier);
  Family& family = families_[coordinate.identifier];
  family.listings.insert_or_assign(coordinate.owner, std::move(listing));
  changed(family, coordinate);
}

void Catalog::erase(const Coordinate& coordinate) {
  const auto at = families_.find(coordinate.identifier);
  if (at == families_.end()) return;
  Family& family = at->second;
  const auto listing = family.listings.find(coordinate.owner);
  if (listing == family.listings.end()) return;
  count(listing->second, -1);
  const auto owned = by_owner_.find(coordinate.owner);
  owned->second.erase(coordinate.identifier);
  if (owned->second.empty()) by_owner_.erase(owned);
  family.listings.erase(listing);
  changed(family, coordinate);
  drop_if_empty(coordinate.identifier);
}

void Catalog::changed(Family& family, const Coordinate& coordinate) {
  const nostr::PublicKey& owner = coordinate.owner;
  changed_.insert(coordinate);
  const auto listing = family.listings.find(owner);
  if (listing == family.listings.end())
    family.roles.erase(owner);
  else
    family.roles.insert_or_assign(owner, listing->second.announcement.roles);
  const auto readers = family.consulting.find(owner);
  if (readers != family.consulting.end())
    for (const nostr::PublicKey& reader : std::set(readers->second)) forget(family, reader);
  forget(family, owner);
}

// R2
void Catalog::forget(Family& family, const nostr::PublicKey& owner) {
  const auto known = family.resolved.find(owner);
  if (known != family.resolved.end()) {
    for (const nostr::PublicKey& key : known->second.consulted) {
      const auto readers = family.consulting.find(key);
      readers->second.erase(owner);
      if (readers->second.empty()) family.consulting.erase(readers);
    }
    family.resolved.erase(known);
  }
  const auto listing = family.listings.find(owner);
  if (listing != family.listings.end() && listing->second.hosts)
    family.unresolved.insert(owner);
  else
    family.unresolved.erase(owner);
}

void Catalog::drop_if_empty(const Identifier& identifier) {
  const auto at = families_.find(identifier);
  if (at == families_.end()) return;
  if (at->second.listings.empty() && at->second.states.empty()) families_.erase(at);
}

void Catalog::count(const Listing& listing, std::ptrdiff_t by) {
  if (listing.place != Place::Served) return;
  if (listing.hosts) served_views_ += static_cast<std::size_t>(by);
  const auto add = [&](const nostr::PublicKey& key) {
    const auto at = involved_.try_emplace(key, 0).first;
    at->second += static_cast<std::size_t>(by);
    if (at->second == 0) involved_.erase(at);
  };
  add(listing.announcement.coordinate.owner);
  for (const nostr::PublicKey& key : listing.announcement.roles.listed) add(key);
}

const Catalog::Family* Catalog::family(const Identifier& identifier) const {
  const auto at = families_.find(identifier);
  return at == families_.end() ? nullptr : &at->second;
}

const Listing* Catalog::find(const Coordinate& coordinate) const {
  const Family* found = family(coordinate.identifier);
  if (!found) return nullptr;
  const auto at = found->listings.find(coordinate.owner);
  return at == found->listings.end() ? nullptr : &at->second;
}

bool Catalog::is_view(const Coordinate& coordinate) const {
  const Listing* listing = find(coordinate);
  return listing && listing->hosts;
}

std::vector<Coordinate> Catalog::views(const Identifier& identifier) const {
  std::vector<Coordinate> views;
  if (const Family* found = family(identifier))
    for (const auto& [owner, listing] : found->listings)
      if (listing.hosts) views.push_back({owner, identifier});
  return views;
}

std::vector<Coordinate> Catalog::views_ruled_by(const nostr::PublicKey& author,
                                                const Identifier& identifier) const {
  std::vector<Coordinate> ruled;
  if (const Family* found = family(identifier))
    for (const nostr::PublicKey& owner : dependents(*found, author))
      if (authority(*found, owner).contains(author)) ruled.push_back({owner, identifier});
  return ruled;
}

const Authority& Catalog::authority(const Coordinate& view) const {
  static const Authority kNone{.failure = NoRoot::SelectedMissing};
  const Family* found = family(view.identifier);
  if (!found || !found->listings.contains(view.owner)) return kNone;
  return authority(*found, view.owner);
}

const Authority& Catalog::authority(const Family& family, const nostr::PublicKey& owner) const {
  const auto known = family.resolved.find(owner);
  if (known != family.resolved.end()) return known->second.authority;
  auto resolution = resolve_noting(owner, family.roles, membership_);
  for (const nostr::PublicKey& key : resolution.consulted) family.consulting[key].insert(owner);
  family.unresolved.erase(owner);
  return family.resolved.emplace(owner, std::move(resolution)).first->second.authority;
}

std::vector<nostr::PublicKey> Catalog::dependents(const Family& family,
                                                  const nostr::PublicKey& key) const {
  while (!family.unresolved.empty())
    authority(family, nostr::PublicKey(*family.unresolved.begin()));
  std::vector<nostr::PublicKey> owners;
  const auto readers = family.consulting.find(key);
  if (readers == family.consulting.end()) return owners;
  for (const nostr::PublicKey& owner : readers->second)
    if (family.listings.at(owner).hosts) owners.push_back(owner);
  return owners;
}

// Who has left is not invited any more, but may come back as long as a member lists it.
bool Catalog::wants(const nostr::PublicKey& owner, const Family& family,
                    const nostr::PublicKey& key) const {
  const Authority& who = authority(family, owner);
  if (who.contains(key) || who.invited.contains(key)) return true;
  const auto own = family.roles.find(key);
  if (own == family.roles.end() || own->second.author_active) return false;
  return std::ranges::any_of(who.members, [&](const nostr::PublicKey& member) {
    const auto roles = family.roles.find(member);
    return roles != family.roles.end() && roles->second.listed.contains(key);
  });
}

bool Catalog::is_wanted(const nostr::PublicKey& key, const Identifier& identifier, By whom) const {
  const Family* found = family(identifier);
  if (!found) return false;
  const auto owners = dependents(*found, key);
  return std::ranges::any_of(owners, [&](const nostr::PublicKey& owner) {
    const bool asked = whom == By::AnyView || found->listings.at(owner).place == Place::Served;
    return asked && wants(owner, *found, key);
  });
}

std::set<nostr::PublicKey> Catalog::wanted(const Coordinate& announcement) const {
  std::set<nostr::PublicKey> keys;
  const Family* found = family(announcement.identifier);
  if (!found) return keys;
  for (const nostr::PublicKey& owner : dependents(*found, announcement.owner)) {
    for (const nostr::PublicKey& member : authority(*found, owner).members) {
      keys.insert(member);
      const auto roles = found->roles.find(member);
      if (roles != found->roles.end())
        keys.insert(roles->second.listed.begin(), roles->second.listed.end());
    }
  }
  return keys;
}

std::vector<Coordinate> Catalog::waiting_guests(const Identifier& identifier) const {
  std::vector<Coordinate> guests;
  if (const Family* found = family(identifier))
    for (const auto& [owner, listing] : found->listings)
      if (!listing.hosts && listing.place == Place::Waiting) guests.push_back({owner, identifier});
  return guests;
}

bool Catalog::is_involved(const nostr::PublicKey& key) const { return involved_.contains(key); }

void Catalog::put_state(const nostr::PublicKey& author, const Identifier& identifier,
                        const nostr::Version& version) {
  families_[identifier].states.insert_or_assign(author, version);
  states_by_author_[author].insert(identifier);
}

void Catalog::erase_state(const nostr::PublicKey& author, const Identifier& identifier) {
  const auto at = families_.find(identifier);
  if (at == families_.end()) return;
  if (at->second.states.erase(author) == 0) return;
  const auto written = states_by_author_.find(author);
  written->second.erase(identifier);
  if (written->second.empty()) states_by_author_.erase(written);
  drop_if_empty(identifier);
}

std::optional<nostr::Version> Catalog::served_state(const Coordinate& view) const {
  const Family* found = family(view.identifier);
  if (!found) return std::nullopt;
  std::optional<nostr::Version> newest;
  for (const nostr::PublicKey& member : authority(view).members) {
    const auto at = found->states.find(member);
    if (at == found->states.end()) continue;
    if (!newest || nostr::wins(at->second, *newest)) newest = at->second;
  }
  return newest;
}

std::optional<nostr::Version> Catalog::state_of(const nostr::PublicKey& author,
                                                const Identifier& identifier) const {
  const Family* found = family(identifier);
  if (!found) return std::nullopt;
  const auto at = found->states.find(author);
  if (at == found->states.end()) return std::nullopt;
  return at->second;
}

std::vector<std::pair<Identifier, nostr::Version>> Catalog::states_of(
    const nostr::PublicKey& author) const {
  std::vector<std::pair<Identifier, nostr::Version>> states;
  const auto at = states_by_author_.find(author);
  if (at == states_by_author_.end()) return states;
  for (const Identifier& identifier : at->second)
    states.emplace_back(identifier, *state_of(author, identifier));
  return states;
}

std::vector<Coordinate> Catalog::of_owner(const nostr::PublicKey& owner) const {
  std::vector<Coordinate> owned;
  const auto at = by_owner_.find(owner);
  if (at == by_owner_.end()) return owned;
  for (const Identifier& identifier : at->second) owned.push_back({owner, identifier});
  return owned;
}

std::vector<const Listing*> Catalog::served() const {
  std::vector<const Listing*> all;
  for (const auto& [identifier, family] : families_)
    for (const auto& [owner, listing] : family.listings)
      if (listing.hosts && listing.place == Place::Served) all.push_back(&listing);
  return all;
}

}  // namespace graspd::grasp
