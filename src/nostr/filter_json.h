// A filter as it goes over the wire.
#pragma once
#include <string>

#include "nostr/filter.h"

namespace graspd::nostr {

void append_json(std::string& out, const Filter& filter);
std::string to_json(const Filter& filter);

}  // namespace graspd::nostr
