#include "nostr/signature.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include "core/check.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace {

// Never changed after it is made, so every thread may use it.
const secp256k1_context* context() {
  static const secp256k1_context* made = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  return made;
}

bool read_key(const PublicKey& key, secp256k1_xonly_pubkey& point) {
  return secp256k1_xonly_pubkey_parse(context(), &point, key.data()) == 1;
}

// Finding the point for a key takes a tenth of a signature check, and one author sends many
// events. Each thread keeps the points it met last, one per slot: a stranger who picks keys that
// share a slot makes us compute what we would have computed anyway.
struct KnownPoint {
  PublicKey key;
  secp256k1_xonly_pubkey point;
  bool filled;
};
constexpr std::size_t kKnownPoints = 512;  // 49 KiB a thread
static_assert((kKnownPoints & (kKnownPoints - 1)) == 0, "the slot is a mask of the key");

const secp256k1_xonly_pubkey* find_point(const PublicKey& key) {
  static thread_local std::array<KnownPoint, kKnownPoints> known{};
  // The last bytes: people grind the first ones for vanity.
  const std::size_t low = key.bytes()[31] | std::size_t{key.bytes()[30]} << 8;
  KnownPoint& slot = known[low & (kKnownPoints - 1)];
  if (!slot.filled || slot.key != key) {
    slot.filled = read_key(key, slot.point);
    slot.key = key;
  }
  return slot.filled ? &slot.point : nullptr;
}

// The library's own form of a secret, which must not outlive its use either.
class LibraryKeypair {
 public:
  explicit LibraryKeypair(const SecretKey& secret)
      : valid_(secp256k1_keypair_create(context(), &keypair_, secret.bytes().data()) == 1) {}
  LibraryKeypair(const LibraryKeypair&) = delete;
  LibraryKeypair& operator=(const LibraryKeypair&) = delete;
  ~LibraryKeypair() { wipe(keypair_.data); }

  bool is_valid() const { return valid_; }
  const secp256k1_keypair* get() const { return &keypair_; }

 private:
  secp256k1_keypair keypair_;
  bool valid_;
};

PublicKey public_key_of(const LibraryKeypair& keypair) {
  secp256k1_xonly_pubkey point;
  CHECK(secp256k1_keypair_xonly_pub(context(), &point, nullptr, keypair.get()));
  PublicKey::Bytes bytes;
  CHECK(secp256k1_xonly_pubkey_serialize(context(), bytes.data(), &point));
  return PublicKey(bytes);
}

}  // namespace

bool signature_is_right(const Event& event) {
  const secp256k1_xonly_pubkey* point = find_point(event.pubkey);
  return point != nullptr && secp256k1_schnorrsig_verify(context(), event.sig.data(),
                                                         event.id.data(), EventId::kSize, point);
}

bool is_valid(const PublicKey& key) {
  secp256k1_xonly_pubkey point;
  return read_key(key, point);
}

std::optional<Keypair> Keypair::from(const SecretKey& secret) {
  const LibraryKeypair keypair(secret);
  if (!keypair.is_valid()) return std::nullopt;
  return Keypair(secret, public_key_of(keypair));
}

void Keypair::sign(Event& event, const std::array<std::uint8_t, 32>& aux_randomness) const {
  event.pubkey = public_key_;
  event.id = compute_id(event);
  const LibraryKeypair keypair(secret_);
  CHECK(keypair.is_valid());
  Signature::Bytes bytes;
  CHECK(secp256k1_schnorrsig_sign32(context(), bytes.data(), event.id.data(), keypair.get(),
                                    aux_randomness.data()));
  event.sig = Signature(bytes);
}

}  // namespace graspd::nostr
