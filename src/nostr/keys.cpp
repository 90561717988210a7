#include "nostr/keys.h"

#include <cstring>

namespace graspd::nostr {

void wipe(std::span<std::uint8_t> secret) {
  if (!secret.empty()) explicit_bzero(secret.data(), secret.size());
}

}  // namespace graspd::nostr
