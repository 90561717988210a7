// Ids that a relay listed in a reconciliation and did not deliver (sync.md §6.1).
//
//   R1  They are requested in the background after 30 s, doubling to 15 min, 12 attempts per id;
//       progress on others does not renew an id's attempts. After the last attempt the id is a gap,
//       and the relay is read anew after an hour, doubling to a day.
//   R2  Oldest first. Nothing counts while disconnected.
//   R3  At most kLostMax; beyond that the newest are not recorded and count as a gap.
//   R4  The next due time is known without a scan, because it is asked for with every event.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/time.h"
#include "nostr/keys.h"
#include "sync/options.h"
#include "sync/record.h"

namespace graspd::sync {

class LostIds {
 public:
  static constexpr std::size_t kLostMax = 10'000;
  static constexpr std::uint32_t kTriesMax = 12;

  void restore(const std::vector<LostId>& lost, core::Instant now);
  std::vector<LostId> record() const;

  // True when there was space.
  bool add(const nostr::EventId& id, core::Instant due);
  bool remove(const nostr::EventId& id);
  // Up to `max` ids that are due; each is counted as tried and due again later.
  std::vector<nostr::EventId> take_due(const Options& options, core::Instant now, std::size_t max);
  // Gives up those whose tries are used up and whose last wait is over; how many.
  std::size_t expire(core::Instant now);

  std::optional<core::Instant> next_due() const;
  std::size_t size() const { return lost_.size(); }
  bool contains(const nostr::EventId& id) const { return lost_.contains(id); }
  void clear() { *this = {}; }

 private:
  struct Entry {
    std::uint32_t tries = 0;
    core::Instant due;
    std::uint64_t order = 0;
  };
  using Lost = std::map<nostr::EventId, Entry>;
  using Queue = std::set<std::pair<core::Instant, nostr::EventId>>;

  Queue& queue_of(const Entry& entry) { return entry.tries < kTriesMax ? waiting_ : tried_out_; }
  void insert(const nostr::EventId& id, Entry entry);
  void erase(Lost::iterator at);

  Lost lost_;
  Queue waiting_, tried_out_;  // by due time, together all of lost_
  std::uint64_t orders_ = 0;
};

}  // namespace graspd::sync
