// The repositories this server knows, and who has a say in them: the newest announcement of every
// coordinate, and the newest states that are served.
//
//   R1  One announcement per coordinate. It is Served (stored), or Waiting (in purgatory, until git
//       data arrives); it hosts a repository here, or it is a guest: a maintainer's announcement
//       that only extends others' authority.
//   R2  A repository is a coordinate that hosts. Its authority is computed once and kept until an
//       announcement changes that it can depend on (grasp/member_graph.h): how many others have the
//       same identifier does not matter, and neither does how many of them list each other.
//   R3  Of the states of one identifier each author has one; which of them rules a repository is
//       asked for every repository on its own: newest first (nostr::wins), authors with authority
//       only.
//   R4  It is a value: a copy costs nothing. Several threads may ask it at the same time.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/announcement.h"
#include "grasp/member_graph.h"
#include "grasp/newest_states.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {

enum class Place { Served, Waiting };

struct Listing {
  Announcement announcement;
  Place place = Place::Served;
  bool hosts = false;

  nostr::Version version() const { return {announcement.created_at, announcement.id}; }
};

class Catalog {
 public:
  static constexpr std::size_t kMembersMax = 256;

  explicit Catalog(Membership membership, std::size_t members_max = kMembersMax)
      : membership_(membership), members_max_(members_max) {}

  void put(Listing listing);
  void erase(Coordinate coordinate);
  const Listing* find(const Coordinate& coordinate) const;
  bool is_hosted(const Coordinate& coordinate) const;

  bool knows(const Identifier& identifier) const { return groups_.contains(identifier); }
  bool has_repos(const Identifier& identifier) const;
  std::vector<Coordinate> repos(const Identifier& identifier) const;
  std::vector<Coordinate> served_repos(const Identifier& identifier) const;
  // Repositories of the identifier in which this key may publish states, nearest first: the key's
  // own, those of people who list it, and so on, as far as that can be told at little cost.
  std::vector<Coordinate> repos_ruled_by(const nostr::PublicKey& author,
                                         const Identifier& identifier) const;
  // All of them, or nothing when that cannot be told at little cost.
  std::optional<std::vector<Coordinate>> all_repos_ruled_by(const nostr::PublicKey& author,
                                                            const Identifier& identifier) const;
  // Without those who are invited.
  const Authority& authority(const Coordinate& repo) const;
  bool rules_itself(const Coordinate& repo) const;  // its owner is the root
  // With this announcement the repository would have more members than are allowed.
  bool has_too_many_members(const Announcement& with) const;
  // Is the key a member of some repository of the identifier, or listed by one?
  enum class By { AnyRepo, ServedRepo };
  bool is_wanted(const nostr::PublicKey& key, const Identifier& identifier, By whom) const;
  // Keys that repositories may have come to want since this announcement changed.
  std::vector<nostr::PublicKey> concerned_by(const Coordinate& announcement) const;
  // A maintainer's announcement that so far extends the authority of waiting repositories only.
  bool is_waiting_guest(const Coordinate& coordinate) const;
  // Is the key the author of a served announcement, or named as maintainer in one?
  bool is_involved(const nostr::PublicKey& key) const;

  void put_state(const nostr::PublicKey& author, const Identifier& identifier,
                 const nostr::Version& version);
  void erase_state(const nostr::PublicKey& author, const Identifier& identifier);
  // Newest served state with authority over the repository.
  std::optional<nostr::Version> served_state(const Coordinate& repo) const;
  std::optional<nostr::Version> state_of(const nostr::PublicKey& author,
                                         const Identifier& identifier) const;

  std::vector<std::pair<Identifier, nostr::Version>> states_of(
      const nostr::PublicKey& author) const;

  std::vector<Coordinate> of_owner(const nostr::PublicKey& owner) const;
  std::vector<const Listing*> served() const;  // repositories that are served, in order
  std::size_t served_repos() const { return served_repos_; }

  // All of them, in order.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& [identifier, group] : groups_)
      for (const auto& [owner, listing] : group.listings) visit(listing);
  }
  template <class Visit>
  void each_state(const Visit& visit) const {
    for (const auto& [identifier, group] : groups_)
      for (const auto& [author, version] : group.states.all()) visit({author, identifier}, version);
  }

  // Coordinates whose listing came, went or changed since the last call.
  std::set<Coordinate> take_changed() { return std::exchange(changed_, {}); }

 private:
  struct IdentifierGroup {
    IdentifierGroup(Membership membership, std::size_t members_max)
        : graph(membership, members_max) {}

    core::PersistentMap<nostr::PublicKey, Listing> listings;
    NewestStates states;
    std::size_t repos = 0;
    MemberGraph graph;
  };

  IdentifierGroup& group(const Identifier& identifier);
  const IdentifierGroup* group(const Identifier& identifier) const {
    return groups_.find(identifier);
  }
  void drop_if_empty(const Identifier& identifier);
  void count(const Listing& listing, std::ptrdiff_t by);

  Membership membership_;
  std::size_t members_max_;
  using Identifiers = core::PersistentSet<Identifier>;
  core::PersistentMap<Identifier, IdentifierGroup> groups_;
  core::PersistentMap<nostr::PublicKey, std::size_t>
      involved_;  // announcements that name or belong to the key
  core::PersistentMap<nostr::PublicKey, Identifiers> by_owner_;
  core::PersistentMap<nostr::PublicKey, Identifiers> states_by_author_;
  std::size_t served_repos_ = 0;
  std::set<Coordinate> changed_;
};

}  // namespace graspd::grasp
