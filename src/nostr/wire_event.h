// An event together with its wire form, which is made once and then only copied: into the store,
// and from there to every reader.
#pragma once
#include <memory>
#include <string>

#include "nostr/event.h"

namespace graspd::nostr {

struct WireEvent {
  Event event;
  std::string json;
};
using WireEventPtr = std::shared_ptr<const WireEvent>;

}  // namespace graspd::nostr
