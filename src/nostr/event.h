// The one object Nostr has (NIP-01).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "nostr/keys.h"
#include "nostr/kind.h"
#include "nostr/tags.h"

namespace graspd::nostr {

struct Event {
  EventId id;
  PublicKey pubkey;
  core::UnixSeconds created_at = 0;
  Kind kind;
  Tags tags;
  std::string content;
  Signature sig;

  bool operator==(const Event&) const = default;
};

// The first `d` tag's value, or empty: the identifier of an addressable event.
std::string_view identifier(const Event& event);

// NIP-40: the time from which the event must not be served; nullopt when it says none.
std::optional<core::UnixSeconds> expiration(const Event& event);
bool is_expired(const Event& event, core::UnixSeconds now);

// NIP-70: carries a `["-"]` tag.
bool is_protected(const Event& event);

}  // namespace graspd::nostr
