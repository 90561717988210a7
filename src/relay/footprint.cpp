#include "relay/footprint.h"

namespace graspd::relay {
namespace {

std::size_t footprint_of(const nostr::TagCondition& condition) {
  std::size_t bytes = sizeof condition;
  for (const std::string& value : condition.values)
    bytes += sizeof(std::string) + heap_footprint(value.size());
  return bytes;
}

}  // namespace

std::size_t heap_footprint(std::size_t text_bytes) {
  constexpr std::size_t kShort = 15;  // kept inside the string
  constexpr std::size_t kAllocation = 16;
  return text_bytes > kShort ? text_bytes + kAllocation : 0;
}

std::size_t footprint(const nostr::Filter& filter) {
  std::size_t bytes = sizeof filter;
  if (filter.ids) bytes += filter.ids->size() * sizeof(nostr::EventId);
  if (filter.authors) bytes += filter.authors->size() * sizeof(nostr::PublicKey);
  if (filter.kinds) bytes += filter.kinds->size() * sizeof(nostr::Kind);
  for (const nostr::TagCondition& condition : filter.tags) bytes += footprint_of(condition);
  return bytes;
}

std::size_t footprint(std::span<const nostr::Filter> filters) {
  std::size_t bytes = 0;
  for (const nostr::Filter& filter : filters) bytes += footprint(filter);
  return bytes;
}

}  // namespace graspd::relay
