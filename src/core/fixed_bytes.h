// N bytes that mean one thing: an event id is not a public key, though both are 32 bytes.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/hex.h"

namespace graspd::core {

template <class Tag, std::size_t N>
class FixedBytes {
 public:
  static constexpr std::size_t kSize = N;
  using Bytes = std::array<std::uint8_t, N>;

  FixedBytes() = default;
  explicit FixedBytes(const Bytes& bytes) : bytes_(bytes) {}

  // Exactly 2N lower-case hex digits, as every Nostr text writes them.
  static std::optional<FixedBytes> from_hex(std::string_view text) {
    FixedBytes value;
    if (!decode_hex(text, value.bytes_)) return std::nullopt;
    return value;
  }
  static FixedBytes from_span(std::span<const std::uint8_t, N> bytes) {
    FixedBytes value;
    std::copy(bytes.begin(), bytes.end(), value.bytes_.begin());
    return value;
  }

  std::string hex() const { return encode_hex(bytes_); }
  const Bytes& bytes() const { return bytes_; }
  const std::uint8_t* data() const { return bytes_.data(); }

  bool operator==(const FixedBytes& other) const = default;
  std::strong_ordering operator<=>(const FixedBytes& other) const {
    return std::memcmp(bytes_.data(), other.bytes_.data(), N) <=> 0;
  }

 private:
  Bytes bytes_{};
};

}  // namespace graspd::core
