// Announcements that wait for git data, by coordinate.
//
//   R1  Bounded in number: per address, per relay they were synced from, and in all
//       (grasp/announcement_sources.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grasp/announcement_sources.h"
#include "grasp/coordinate.h"
#include "grasp/held.h"
#include "grasp/shelf.h"

namespace graspd::grasp {

// An announcement costs memory while it waits, and sleeping ones still count: by default all of
// them, and what one address (IPv4, or IPv6 /64) may send at most. Hundreds are a migration; a
// relay from which repositories are synced may bring thousands. 0: no limit.
struct WaitingAnnouncementLimits {
  std::size_t announcements_max = 20'000;
  std::size_t announcements_per_address_max = 500;
  std::size_t announcements_per_relay_max = 5'000;
};

class WaitingAnnouncements {
 public:
  const Held* find(const Coordinate& key) const { return shelf_.find(key); }
  std::vector<Coordinate> keys() const;
  std::vector<Coordinate> by(const nostr::PublicKey& owner) const { return shelf_.by(owner); }
  const Shelf<Coordinate, Held>& shelf() const { return shelf_; }

  // R1. Of announcements that come from `source`.
  enum class Place { Yes, SourceFull, Full };
  Place place_for(const Coordinate& key, const std::string& source, bool synced,
                  const WaitingAnnouncementLimits& limits) const;
  std::optional<Coordinate> next_to_go(const std::string& source) const {
    return sources_.next_to_go(source);
  }

  void put(const Coordinate& key, Held held);
  void erase(const Coordinate& key);
  template <class Change>
  const Held* change(const Coordinate& key, const Change& change) {
    return shelf_.change(key, change);
  }

 private:
  Shelf<Coordinate, Held> shelf_;
  AnnouncementSources sources_;
};

}  // namespace graspd::grasp
