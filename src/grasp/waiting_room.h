// Events refused because something they need is not here: kept a while, keyed by that something,
// and tried again when it arrives. Nothing here is owed to anybody; it only spares a repetition.
//
//   R1  An event waits under several keys; the first that arrives takes it out under all of them.
//   R2  Bounded by bytes, in all and per author; the oldest of all, or of that author, go first.
//   R3  Nobody waits longer than `patience`.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/time.h"
#include "nostr/wire_event.h"

namespace graspd::grasp {

// What an event costs besides its text: parsed a second time, and a node per key.
inline constexpr std::size_t kGuestBytes = 512, kKeyBytes = 128;

struct WaitingRoomLimits {
  std::size_t bytes_max = 32 * 1024 * 1024;
  std::size_t bytes_per_author_max = 1024 * 1024;  // five of the largest events
  std::size_t keys_per_event_max = 64;
  core::UnixSeconds patience = 3600;
};

class WaitingRoom {
 public:
  explicit WaitingRoom(WaitingRoomLimits limits = {}) : limits_(limits) {}

  void admit(nostr::WireEventPtr event, std::vector<std::string> keys, core::UnixSeconds now);
  // Everybody who waits for this, oldest first.
  std::vector<nostr::WireEventPtr> call(const std::string& key);
  void expire(core::UnixSeconds now);

  std::size_t size() const { return guests_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  using Number = std::uint64_t;  // in order of arrival
  struct Guest {
    nostr::WireEventPtr event;
    std::vector<std::string> keys;
    core::UnixSeconds since = 0;
    std::size_t bytes = 0;
  };
  struct Author {
    std::set<Number> guests;
    std::size_t bytes = 0;
  };

  bool is_here(const nostr::WireEvent& event) const;
  void leave(Number number);
  void make_room(const nostr::PublicKey& author);

  WaitingRoomLimits limits_;
  Number next_ = 0;
  std::size_t bytes_ = 0;
  std::map<Number, Guest> guests_;
  std::map<std::string, std::set<Number>, std::less<>> by_key_;
  std::map<nostr::PublicKey, Author> by_author_;
};

}  // namespace graspd::grasp
