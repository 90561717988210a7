// The repositories this server knows, and who has a say in them: the newest announcement of every
// coordinate, and the newest states that are served.
//
//   R1  One announcement per coordinate. It is Served (stored), or Waiting (in purgatory, until git
//       data arrives); it hosts a repository here, or it is a guest: a maintainer's announcement
//       that only extends others' authority.
//   R2  A view is a coordinate that hosts. Its authority is computed once and kept until an
//       announcement changes that it was computed from: how many others have the same identifier
//       does not matter.
//   R3  Of the states of one identifier each author has one; which of them rules a view is asked
//       for every view on its own: newest first (nostr::wins), authors with authority only.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grasp/announcement.h"
#include "grasp/maintainers.h"
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
  explicit Catalog(Membership membership) : membership_(membership) {}

  void put(Listing listing);
  void erase(const Coordinate& coordinate);
  const Listing* find(const Coordinate& coordinate) const;
  bool is_view(const Coordinate& coordinate) const;

  bool knows(const Identifier& identifier) const { return families_.contains(identifier); }
  std::vector<Coordinate> views(const Identifier& identifier) const;
  // Views of the identifier in which this key may publish states.
  std::vector<Coordinate> views_ruled_by(const nostr::PublicKey& author,
                                         const Identifier& identifier) const;
  const Authority& authority(const Coordinate& view) const;
  // Is the key a member of some view of the identifier, or listed by one?
  enum class By { AnyView, ServedView };
  bool is_wanted(const nostr::PublicKey& key, const Identifier& identifier, By whom) const;
  // By the views whose authority depends on this announcement.
  std::set<nostr::PublicKey> wanted(const Coordinate& announcement) const;
  // Guests that wait: maintainers' announcements that extend the authority of waiting views only.
  std::vector<Coordinate> waiting_guests(const Identifier& identifier) const;
  // Is the key the author of a served announcement, or named as maintainer in one?
  bool is_involved(const nostr::PublicKey& key) const;

  void put_state(const nostr::PublicKey& author, const Identifier& identifier,
                 const nostr::Version& version);
  void erase_state(const nostr::PublicKey& author, const Identifier& identifier);
  // Newest served state with authority over the view.
  std::optional<nostr::Version> served_state(const Coordinate& view) const;
  std::optional<nostr::Version> state_of(const nostr::PublicKey& author,
                                         const Identifier& identifier) const;

  std::vector<std::pair<Identifier, nostr::Version>> states_of(
      const nostr::PublicKey& author) const;

  std::vector<Coordinate> of_owner(const nostr::PublicKey& owner) const;
  std::vector<const Listing*> served() const;  // views that are served, in order
  std::size_t served_views() const { return served_views_; }

  // Coordinates whose listing came, went or changed since the last call.
  std::set<Coordinate> take_changed() { return std::exchange(changed_, {}); }

 private:
  struct Family {
    std::map<nostr::PublicKey, Listing> listings;
    std::map<nostr::PublicKey, nostr::Version> states;
    RolesByAuthor roles;
    // Computed when asked for, by owner, and which of them consulted whose announcement.
    mutable std::map<nostr::PublicKey, Resolution> resolved;
    mutable std::map<nostr::PublicKey, std::set<nostr::PublicKey>> consulting;
    mutable std::set<nostr::PublicKey> unresolved;  // views that are not in these two
  };

  const Family* family(const Identifier& identifier) const;
  const Authority& authority(const Family& family, const nostr::PublicKey& owner) const;
  // Owners of views that depend on the announcement of this key, or on its absence.
  std::vector<nostr::PublicKey> dependents(const Family& family, const nostr::PublicKey& key) const;
  static void forget(Family& family, const nostr::PublicKey& owner);
  bool wants(const nostr::PublicKey& owner, const Family& family,
             const nostr::PublicKey& key) const;
  void changed(Family& family, const Coordinate& coordinate);
  void drop_if_empty(const Identifier& identifier);
  void count(const Listing& listing, std::ptrdiff_t by);

  Membership membership_;
  std::map<Identifier, Family> families_;
  std::map<nostr::PublicKey, std::size_t>
      involved_;  // announcements that name or belong to the key
  std::map<nostr::PublicKey, std::set<Identifier>> by_owner_;
  std::map<nostr::PublicKey, std::set<Identifier>> states_by_author_;
  std::size_t served_views_ = 0;
  std::set<Coordinate> changed_;
};

}  // namespace graspd::grasp
