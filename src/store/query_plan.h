// Which index answers a filter. Pure, and shared by every backend that has indexes.
//
//   R1  The entries of every index contain created_at, id and kind; conditions on these three never
//       need the event itself.
//   R2  Ids come first: they name single events. Then a tag that refers to one thing (an event, an
//       address, a document), then authors, then any other tag, then kinds, then time. Of several
//       tags of one rank, the one with the fewest values is used.
//   R3  An index that would need more than `keys_max` keys is not used: seeking that many places
//       costs more than looking at the entries between them. Ids are exempt, being single lookups.
#pragma once
#include <cstddef>

#include "nostr/filter.h"

namespace graspd::store {

// As many keys as the follow list of a busy person has, times a few kinds.
constexpr std::size_t kKeysMax = 2048;

enum class Index {
  Nothing,     // no event can match
  Ids,         // one key per id
  Tag,         // one key per value of filter.tags[Plan::tag]
  AuthorKind,  // one key per author and kind
  Author,      // one key per author, any kind
  Kind,        // one key per kind
  Time,        // everything
};

struct Plan {
  Index index = Index::Nothing;
  std::size_t tag = 0;
  // The entries under the keys match, apart from created_at and kind, which the entry tells (R1).
  // Otherwise each event has to be looked at.
  bool exact = true;

  bool operator==(const Plan&) const = default;
};

Plan plan_query(const nostr::Filter& filter, std::size_t keys_max = kKeysMax);

}  // namespace graspd::store
