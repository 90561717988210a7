// Estimates the number of distinct authors; estimates of several relays can be merged
// (NIP-45).
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "nostr/keys.h"

namespace graspd::relay {

class HyperLogLog {
 public:
  // `offset` is where in a public key to read; NIP-45 derives it from the filter (8 to 23).
  explicit HyperLogLog(std::uint8_t offset) : offset_(offset) {}

  void add(const nostr::PublicKey& author);
  std::string hex() const;

 private:
  std::uint8_t offset_;
  std::array<std::uint8_t, 256> registers_{};
};

}  // namespace graspd::relay
