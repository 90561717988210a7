#include "nostr/kind.h"

namespace graspd::nostr {

KindClass kind_class(Kind kind) {
  const std::uint16_t value = kind.value;
  if (value == 0 || value == 3) return KindClass::Replaceable;
  if (value < 10'000) return KindClass::Regular;
  if (value < 20'000) return KindClass::Replaceable;
  if (value < 30'000) return KindClass::Ephemeral;
  if (value < 40'000) return KindClass::Addressable;
  return KindClass::Regular;
}

}  // namespace graspd::nostr
