// Counts what purgatory holds of each author (R5 of grasp/purgatory.h).
//
//   R1  Bounded per author, by events and bytes, and in all, by bytes.
//   R2  When all of it is taken, the author with the most bytes can be told, if they may lose
//       something.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/held.h"

namespace graspd::grasp {

struct HeldSpaceLimits {
  std::size_t events_per_author_max = 200;  // a migration announces many at once
  std::size_t bytes_per_author_max = 8 * 1024 * 1024;
  std::size_t bytes_max = 256 * 1024 * 1024;  // of all events
};

class HeldSpace {
 public:
  explicit HeldSpace(const HeldSpaceLimits& limits) : limits_(limits) {}

  enum class Room { Yes, AuthorFull, Full };
  // R1. `instead_of` goes when the event comes, if it is given.
  Room room_for(const nostr::WireEvent& event, const Held* instead_of = nullptr) const;

  // R2. Of those who `may_lose` something, who has most.
  using MayLose = std::function<bool(const nostr::PublicKey& author)>;
  std::optional<nostr::PublicKey> heaviest(const MayLose& may_lose) const;
  std::size_t bytes_of(const nostr::PublicKey& author) const;
  bool contains(const nostr::EventId& id) const { return authors_.contains(id); }
  // Of an event that is held; nullptr otherwise.
  const nostr::PublicKey* author_of(const nostr::EventId& id) const { return authors_.find(id); }

  void add(const Held& held) { count(held, 1); }
  void remove(const Held& held) { count(held, -1); }

 private:
  struct Share {
    std::size_t events = 0, bytes = 0;
  };
  void count(const Held& held, std::ptrdiff_t by);

  HeldSpaceLimits limits_;
  core::PersistentMap<nostr::PublicKey, Share> by_author_;
  core::PersistentSet<std::pair<std::size_t, nostr::PublicKey>> by_weight_;
  core::PersistentMap<nostr::EventId, nostr::PublicKey> authors_;  // of all that is held
  std::size_t bytes_ = 0;
};

}  // namespace graspd::grasp
