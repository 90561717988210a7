// Events rejected because a dependency is missing. They are kept whole under the missing keys and
// decided again when one arrives. The sender was told of the rejection; this saves a repetition.
//
//   R1  An event waits under several keys. Whichever of them arrives, it is decided again once.
//   R2  Limited by number and bytes, in total and per author; the oldest in total, or of that
//       author, is dropped first. An author has only a share, so nobody can displace all others.
//   R3  No event waits longer than `patience`, counted from the first rejection.
//   R4  An event that is being decided again keeps its place until the decision: it is added again
//       or removed. If the decision is lost, the event is still here.
//   R5  Every change is also a note: which events wait, and since when, survives a crash.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/rejected_meter.h"
#include "grasp/transition.h"

namespace graspd::grasp {

struct OrphanPoolLimits {
  std::size_t events_max = 1'024;
  std::size_t bytes_max = 8 * 1024 * 1024;
  std::size_t event_bytes_max = 128 * 1024;
  std::size_t authors_min = 8;  // that share the space when it is full (R2)
  std::size_t keys_per_event_max = 64;
  core::UnixSeconds patience = 7 * 24 * 3600;
};

struct Orphan {
  nostr::WireEventPtr event;
  Origin origin;
  core::UnixSeconds since = 0;
  std::vector<std::string> keys;
};

class OrphanPool {
 public:
  using Number = std::uint64_t;  // in order of arrival

  explicit OrphanPool(OrphanPoolLimits limits = {}) : limits_(limits) {}

  // Who is here already keeps seat and time, and is no longer called.
  void admit(Orphan orphan, Transition& changes);
  void leave(const nostr::EventId& id, Transition& changes);
  void expire(core::UnixSeconds now, Transition& changes);

  void call(const std::string& key);
  void call_all();
  void call_again(const nostr::EventId& id);  // the trial did not take place
  // Those who were called, oldest first; the others follow with the next question.
  std::vector<Retry> take_called(std::size_t max);

  bool contains(const nostr::EventId& id) const { return by_id_.contains(id); }
  bool is_waiting(const nostr::EventId& id) const;  // and not about to be tried again
  std::vector<nostr::WireEventPtr> events() const;
  std::vector<nostr::WireEventPtr> events_of(const nostr::PublicKey& author) const;

  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value, Transition& changes);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them
  static constexpr std::string_view kNotePrefix = "waiting/";

  std::size_t size() const { return seats_.size(); }
  std::size_t bytes() const { return bytes_; }
  const PerType& current() const { return current_; }
  const PerType& expired() const { return expired_; }

 private:
  enum class Turn { Waiting, Called, Out };
  struct Seat {
    std::shared_ptr<const Orphan> orphan;
    std::size_t bytes = 0;
    Turn turn = Turn::Waiting;
  };
  struct Author {
    core::PersistentSet<Number> seats;
    std::size_t bytes = 0;
  };

  void call(Number number);
  void turn(Number number, Turn to);
  void seat(Number number, Orphan orphan);
  void vacate(Number number, Transition& changes);
  void make_space(const nostr::PublicKey& author, Transition& changes);
  bool is_over_share(const Author& author) const;

  OrphanPoolLimits limits_;
  Number next_ = 1;
  std::size_t bytes_ = 0;
  core::PersistentMap<Number, Seat> seats_;
  core::PersistentMap<nostr::EventId, Number> by_id_;
  core::PersistentMap<std::string, core::PersistentSet<Number>> by_key_;
  core::PersistentMap<nostr::PublicKey, Author> by_author_;
  core::PersistentSet<Number> called_;
  PerType current_{}, expired_{};
};

}  // namespace graspd::grasp
