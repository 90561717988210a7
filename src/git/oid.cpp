#include "git/oid.h"

namespace graspd::git {

std::optional<Oid> Oid::parse(std::string_view text) {
  const auto bytes = from_hex(text);
  if (!bytes) return std::nullopt;
  return Oid(bytes->bytes());
}

Oid Oid::from_span(std::span<const std::uint8_t, kSize> bytes) {
  return Oid(FixedBytes::from_span(bytes).bytes());
}

}  // namespace graspd::git
