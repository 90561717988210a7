// BIP-340 signatures over secp256k1. The only user of libsecp256k1.
#pragma once
#include <optional>

#include "nostr/event.h"
#include "nostr/keys.h"

namespace graspd::nostr {

// True if `event.sig` is a signature of `event.id` by `event.pubkey`. Thread-safe.
// Does not look at whether the id fits the content: see id_is_right().
bool signature_is_right(const Event& event);

// A point on the curve: a key that can have signed something.
bool is_valid(const PublicKey& key);

class Keypair {
 public:
  // nullopt for the few 32-byte values that are no secret key (zero, beyond the group order).
  static std::optional<Keypair> from(const SecretKey& secret);

  const PublicKey& public_key() const { return public_key_; }
  const SecretKey& secret_key() const { return secret_; }

  // Fills pubkey, id and sig from the other fields. `aux_randomness` hardens the nonce; any
  // 32 bytes are correct.
  void sign(Event& event, const std::array<std::uint8_t, 32>& aux_randomness) const;

 private:
  Keypair(const SecretKey& secret, const PublicKey& public_key)
      : secret_(secret), public_key_(public_key) {}
  SecretKey secret_;
  PublicKey public_key_;
};

}  // namespace graspd::nostr
