// A question about events (NIP-01): every condition that is present must hold.
//
//   R1  A list that is present but empty matches nothing.
//   R2  Tag conditions look at single-letter tags and at their first value only.
//   R3  `limit` takes no part in matching.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "nostr/event.h"

namespace graspd::nostr {

struct TagCondition {
  char letter = 0;
  std::vector<std::string> values;  // sorted, unique
  bool operator==(const TagCondition&) const = default;
};

struct Filter {
  std::optional<std::vector<EventId>> ids;        // sorted, unique
  std::optional<std::vector<PublicKey>> authors;  // sorted, unique
  std::optional<std::vector<Kind>> kinds;         // sorted, unique
  std::vector<TagCondition> tags;                 // sorted by letter, one per letter
  std::optional<core::UnixSeconds> since;
  std::optional<core::UnixSeconds> until;
  std::optional<std::uint64_t> limit;

  bool matches(const Event& event) const;
  // No event at all can match: an empty list, or since after until.
  bool is_impossible() const;

  bool operator==(const Filter&) const = default;
};

// Sorts the lists and drops repeats, as the codec does; for filters built by hand.
void normalise(Filter& filter);

}  // namespace graspd::nostr
