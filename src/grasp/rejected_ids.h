// Rejected events of peers: their ids, so that they are not fetched again, and what is needed to
// know when they should be.
//
//   R1  Only events with a valid id and signature are remembered: a forged copy must not keep the
//       genuine one out.
//   R2  When a dependency arrives, the events rejected for lack of it are forgotten, and the relay
//       that had them is reported: they can be fetched there. Later rejections are not affected.
//   R3  Nothing is remembered longer than `memory`, nor more than `entries_max` and `bytes_max`
//       allow: the oldest are forgotten first, and may be fetched once more.
//   R4  An event with very many tags is not remembered.
//   R5  Every change is also a note. Notes are ordered by arrival, so a batch touches few pages.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/event_digest.h"
#include "grasp/rejected_meter.h"
#include "grasp/transition.h"

namespace graspd::grasp {

struct RejectedLimits {
  std::size_t entries_max = 200'000;
  std::size_t bytes_max = 64 * 1024 * 1024;  // of memory, about
  std::size_t tags_max = 512;
  core::UnixSeconds memory = 7 * 24 * 3600;
};

struct Rejected {
  EventDigest event;
  Reason reason = Reason::Invalid;
  core::UnixSeconds since = 0;
  std::vector<std::uint64_t> lacks;  // hashes of the keys under which it would wait
};

class RejectedIds {
 public:
  using Number = std::uint64_t;  // in order of arrival

  explicit RejectedIds(RejectedLimits limits = {}) : limits_(limits) {}

  void add(const nostr::Event& event, Reason reason, const nostr::RelayUrl* relay,
           const std::vector<std::string>& lacks, core::UnixSeconds now, Transition& changes);
  void erase(const nostr::EventId& id, Transition& changes);
  void clear(Transition& changes);
  void expire(core::UnixSeconds now, Transition& changes);

  // R2. The forgetting is done in parts: a stranger may have made many lack the same.
  void call(std::string_view key);
  struct Forgotten {
    nostr::EventId id;
    nostr::Kind kind;
    std::optional<nostr::RelayUrl> relay;
  };
  std::vector<Forgotten> forget_called(std::size_t max, Transition& changes);

  bool contains(const nostr::EventId& id) const { return by_id_.contains(id); }
  const Rejected* find(const nostr::EventId& id) const;
  // Adds where the events are that match, of the first `max` from `from` on. Where to go on, or
  // nothing when that was all.
  std::optional<Number> match(const DigestFilter& filter, Number from, std::size_t max,
                              std::vector<store::Position>& found) const;

  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them
  static constexpr std::string_view kNotePrefix = "rejected/";

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }
  const PerType& current() const { return current_; }
  const PerType& expired() const { return expired_; }

 private:
  using RelayPtr = std::shared_ptr<const nostr::RelayUrl>;
  struct Entry : Rejected {
    RelayPtr relay;
  };
  struct Relay {
    RelayPtr url;
    std::size_t entries = 0;
  };

  static std::size_t cost(const Entry& entry);
  void insert(Number number, Entry entry, const nostr::RelayUrl* relay);
  void drop(Number number, Transition& changes);

  RejectedLimits limits_;
  Number next_ = 1;
  std::size_t bytes_ = 0;
  core::PersistentMap<Number, Entry> entries_;
  core::PersistentMap<nostr::EventId, Number> by_id_;
  core::PersistentSet<std::pair<std::uint64_t, Number>> by_lack_;
  core::PersistentMap<std::uint64_t, Number>
      called_;  // what arrived, and who is too new to be meant
  core::PersistentMap<nostr::RelayUrl, Relay> relays_;  // one text for all of its entries
  PerType current_{}, expired_{};
};

}  // namespace graspd::grasp
