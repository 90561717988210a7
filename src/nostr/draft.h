// An event before it is signed: what a person or a program writes by hand.
#pragma once
#include <optional>
#include <string>

#include "core/time.h"
#include "nostr/keys.h"
#include "nostr/kind.h"
#include "nostr/tags.h"

namespace graspd::nostr {

struct Draft {
  Kind kind;
  Tags tags;
  std::string content;
  std::optional<core::UnixSeconds> created_at;  // nullopt: when it is signed
  std::optional<PublicKey> pubkey;              // nullopt: whoever signs it

  bool operator==(const Draft&) const = default;
};

}  // namespace graspd::nostr
