// Events for tests and benchmarks: right ids, no signatures.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "nostr/serialize.h"
#include "store/event_store.h"

namespace graspd::store::testing {

inline nostr::PublicKey author(std::uint32_t number) {
  nostr::PublicKey::Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[28 + i] = static_cast<std::uint8_t>(number >> 8 * i);
  bytes[0] = 0xaa;
  return nostr::PublicKey(bytes);
}

inline nostr::WireEventPtr finish(nostr::Event event) {
  event.id = nostr::compute_id(event);
  std::string json = nostr::to_json(event);
  return std::make_shared<const nostr::WireEvent>(
      nostr::WireEvent{std::move(event), std::move(json)});
}

inline nostr::WireEventPtr event(std::uint32_t by, std::uint16_t kind, core::UnixSeconds created_at,
                                 nostr::Tags tags = {}, std::string content = {}) {
  nostr::Event event;
  event.pubkey = author(by);
  event.kind = {kind};
  event.created_at = created_at;
  event.tags = std::move(tags);
  event.content = std::move(content);
  return finish(std::move(event));
}

}  // namespace graspd::store::testing
