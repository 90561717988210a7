// The name of a git object: a SHA-1, as 20 bytes. All zeroes means "no object".
//
//   R1  The text is exactly 40 lower-case hex digits: no abbreviation, no SHA-256, no revision.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/fixed_bytes.h"

namespace graspd::git {

struct Oid : core::FixedBytes<struct OidTag, 20> {
  using FixedBytes::FixedBytes;

  static std::optional<Oid> parse(std::string_view text);
  static Oid from_span(std::span<const std::uint8_t, kSize> bytes);

  bool is_zero() const { return *this == Oid(); }
};

}  // namespace graspd::git
