// Events of strangers that are kept: requests to delete or to vanish that concern nothing known,
// and lists. They are stored and served like other events, within these limits.
//
//   R1  One key has at most `entries_per_key` and `bytes_per_key`; all together have `bytes_max`.
//       Beyond that, the events that came first are removed; the newest always stays.
//   R2  Bytes are an estimate of the space on disk: the event's text and its index entries.
//   R3  Every change is also a note, so that a restart forgets nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "grasp/transition.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct StrangerLimits {
  std::size_t entries_per_key = 64;
  // One large request has its place: 192 KiB of text, 1,000 indexed values.
  std::size_t bytes_per_key = 512 * 1024;
  std::size_t bytes_max = 32 * 1024 * 1024;
};

class StrangerPool {
 public:
  struct Entry {
    nostr::EventId id;
    nostr::PublicKey author;
    std::size_t bytes = 0;
  };

  // `prefix` of the keys of its notes, with a slash at the end; a literal.
  StrangerPool(std::string_view prefix, StrangerLimits limits) : prefix_(prefix), limits_(limits) {}

  // Those that go in its place.
  std::vector<Entry> add(const nostr::WireEvent& wire, Transition& changes);
  void erase(const nostr::EventId& id, Transition& changes);
  bool contains(const nostr::EventId& id) const { return by_id_.contains(id); }
  std::vector<nostr::EventId> of(const nostr::PublicKey& author) const;  // oldest first

  std::string_view prefix() const { return prefix_; }
  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }
  static std::size_t cost(const nostr::WireEvent& wire);  // R2

 private:
  using Number = std::uint64_t;
  struct Share {
    core::PersistentMap<Number, std::size_t> entries;  // with their bytes
    std::size_t bytes = 0;
  };

  std::string key(Number number) const;
  static std::string text(const Entry& entry);
  void insert(Number number, const Entry& entry);
  bool has_too_much(const Share& share) const;
  Entry drop(Number number, Transition& changes);

  std::string_view prefix_;
  StrangerLimits limits_;
  Number next_ = 1;
  std::size_t bytes_ = 0;
  core::PersistentMap<Number, Entry> entries_;
  core::PersistentMap<nostr::EventId, Number> by_id_;
  core::PersistentMap<nostr::PublicKey, Share> shares_;
};

}  // namespace graspd::grasp
