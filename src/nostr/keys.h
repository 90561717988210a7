// The three names everything in Nostr is called by.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "core/fixed_bytes.h"

namespace graspd::nostr {

using EventId = core::FixedBytes<struct EventIdTag, 32>;
using PublicKey = core::FixedBytes<struct PublicKeyTag, 32>;
using Signature = core::FixedBytes<struct SignatureTag, 64>;

// Overwrites with zeroes, in a way no optimiser may leave out.
void wipe(std::span<std::uint8_t> secret);

// Overwritten when it dies. Never printed, never logged.
class SecretKey {
 public:
  using Bytes = std::array<std::uint8_t, 32>;
  explicit SecretKey(const Bytes& bytes) : bytes_(bytes) {}
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey() { wipe(bytes_); }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace graspd::nostr
