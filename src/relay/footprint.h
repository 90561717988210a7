// The memory that filters occupy: much more than their text if they list many short values.
#pragma once
#include <cstddef>
#include <span>

#include "nostr/filter.h"

namespace graspd::relay {

std::size_t footprint(const nostr::Filter& filter);
std::size_t footprint(std::span<const nostr::Filter> filters);

// Of a text of that length beside the std::string itself.
std::size_t heap_footprint(std::size_t text_bytes);

}  // namespace graspd::relay
