// Items for tests and measurements, from a seed.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/rng.h"
#include "negentropy/item_set.h"

namespace graspd::negentropy {

inline Id random_id(core::Rng& rng) {
  Id id;
  for (std::size_t i = 0; i < id.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = rng.next();
    std::memcpy(id.data() + i, &word, sizeof(word));
  }
  return id;
}

// Timestamps in [first, first + seconds): few seconds make many items share one.
inline std::vector<Item> random_items(core::Rng& rng, std::size_t count, std::uint64_t first,
                                      std::uint64_t seconds) {
  std::vector<Item> items(count);
  for (Item& item : items) item = {first + rng.below(seconds), random_id(rng)};
  return items;
}

}  // namespace graspd::negentropy
