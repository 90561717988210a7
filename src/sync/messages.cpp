#include "sync/messages.h"

#include <algorithm>

namespace graspd::sync {

std::uint64_t matching_filters(const std::vector<nostr::Filter>& filters,
                               const nostr::Event& event) {
  constexpr std::size_t kLastBit = 63;
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (filters[i].matches(event)) out |= std::uint64_t{1} << std::min(i, kLastBit);
  }
  return out;
}

}  // namespace graspd::sync
