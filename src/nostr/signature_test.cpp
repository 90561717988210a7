#include "nostr/signature.h"

#include <gtest/gtest.h>
#include <thread>

#include "core/rng.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace signature_test {

struct Vector {
  std::string_view pubkey, message, signature;
};

// BIP-340, test vectors 0 to 3.
constexpr Vector kBip340[] = {
    {"f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
     "0000000000000000000000000000000000000000000000000000000000000000",
     "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
     "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"},
    {"dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
     "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
     "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341"
     "8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"},
    {"dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8",
     "7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c",
     "5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1b"
     "ab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7"},
    {"25d1dff95105f5253c4022f628a996ad3a0d95fbf21d468a1b33f8c160d8f517",
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "7eb0509757e246f19449885651611cb965ecc1a187dd51b64fda1edc9637d5ec"
     "97582b9cb13db3933705b32ba982af5af25fd78881ebb32771fc5922efc66ea3"},
};
constexpr std::string_view kFieldSize =
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
constexpr std::string_view kGroupOrder =
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
constexpr std::string_view kNotOnTheCurve =
    "eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34";

Event event_of(const Vector& vector) {
  Event event;
  event.pubkey = *PublicKey::from_hex(vector.pubkey);
  event.id = *EventId::from_hex(vector.message);
  event.sig = *Signature::from_hex(vector.signature);
  return event;
}

SecretKey secret_from(std::string_view hex) {
  return SecretKey(core::FixedBytes<struct Test, 32>::from_hex(hex)->bytes());
}

Keypair random_keypair(core::Rng& rng) {
  SecretKey::Bytes bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return *Keypair::from(SecretKey(bytes));
}

template <class Fixed>
Fixed with_flipped_bit(const Fixed& value, std::size_t bit) {
  auto bytes = value.bytes();
  bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  return Fixed(bytes);
}

TEST(Signature, IsRightForTheVectorsOfBip340) {
  for (const Vector& vector : kBip340) {
    EXPECT_TRUE(signature_is_right(event_of(vector))) << vector.pubkey;
  }
}

TEST(Signature, IsWrongWhenItsNumbersAreOutOfRange) {
  Vector vector = kBip340[1];
  const std::string r(vector.signature.substr(0, 64)), s(vector.signature.substr(64));
  for (const auto& bad :
       {std::string(kFieldSize) + s, r + std::string(kGroupOrder), std::string(64, '0') + s,
        r + std::string(64, '0'), std::string(128, '0'), std::string(128, 'f')}) {
    vector.signature = bad;
    EXPECT_FALSE(signature_is_right(event_of(vector))) << bad;
  }
}

TEST(Signature, IsWrongForAKeyThatIsNoPoint) {
  Vector vector = kBip340[1];
  for (const auto& bad : {std::string(kNotOnTheCurve), std::string(kFieldSize),
                          std::string(64, '0'), std::string(64, 'f')}) {
    vector.pubkey = bad;
    EXPECT_FALSE(is_valid(*PublicKey::from_hex(bad))) << bad;
    EXPECT_FALSE(signature_is_right(event_of(vector))) << bad;
    EXPECT_FALSE(signature_is_right(event_of(vector))) << "asked again: " << bad;
  }
  EXPECT_TRUE(is_valid(*PublicKey::from_hex(kBip340[1].pubkey)));
}

TEST(Signature, IsWrongAfterAnyFlippedBit) {
  const Event right = event_of(kBip340[1]);
  for (std::size_t bit = 0; bit < 256; bit += 5) {
    Event wrong = right;
    wrong.id = with_flipped_bit(right.id, bit);
    EXPECT_FALSE(signature_is_right(wrong)) << bit;
    wrong = right;
    wrong.pubkey = with_flipped_bit(right.pubkey, bit);
    EXPECT_FALSE(signature_is_right(wrong)) << bit;
    wrong = right;
    wrong.sig = with_flipped_bit(right.sig, 2 * bit);
    EXPECT_FALSE(signature_is_right(wrong)) << bit;
  }
  EXPECT_TRUE(signature_is_right(right));
}

TEST(Signature, IsJudgedByItsOwnKeyWhenManyKeysShareTheMemoryOfPoints) {
  constexpr std::uint64_t kSeed = 30;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  std::vector<Event> events;
  for (int i = 0; i < 1500; ++i) {
    Event& event = events.emplace_back();
    event.created_at = i;
    random_keypair(rng).sign(event, {});
  }
  for (int i = 0; i < 3000; ++i) {
    Event event = events[rng.below(events.size())];
    ASSERT_TRUE(signature_is_right(event));
    // The same last bytes, so the same place in the memory of points.
    event.pubkey = with_flipped_bit(event.pubkey, rng.below(128));
    ASSERT_FALSE(signature_is_right(event));
  }
}

TEST(Signature, IsCheckedOnSeveralThreadsAtOnce) {
  std::array<int, 4> right{};
  {
    std::vector<std::thread> threads;
    for (int& count : right) {
      threads.emplace_back([&count] {
        for (int i = 0; i < 100; ++i) count += signature_is_right(event_of(kBip340[i % 4]));
      });
    }
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(right, (std::array<int, 4>{100, 100, 100, 100}));
}

TEST(Keypair, KnowsThePublicKeysOfBip340) {
  EXPECT_EQ(Keypair::from(secret_from(std::string(63, '0') + "3"))->public_key().hex(),
            kBip340[0].pubkey);
  EXPECT_EQ(Keypair::from(secret_from("b7e151628aed2a6abf7158809cf4f3c7"
                                      "62e7160f38b4da56a784d9045190cfef"))
                ->public_key()
                .hex(),
            kBip340[1].pubkey);
}

TEST(Keypair, IsNotMadeFromZeroOrFromBeyondTheGroupOrder) {
  EXPECT_FALSE(Keypair::from(secret_from(std::string(64, '0'))));
  EXPECT_FALSE(Keypair::from(secret_from(kGroupOrder)));
  EXPECT_FALSE(Keypair::from(secret_from(std::string(64, 'f'))));
}

TEST(Keypair, SignsWhatAnyoneCanCheck) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int i = 0; i < 50; ++i) {
    const Keypair keypair = random_keypair(rng);
    Event event;
    event.kind = Kind{1};
    event.created_at = 1'700'000'000 + i;
    event.tags = {{"t", "one"}, {"p", keypair.public_key().hex()}};
    event.content = "hello\n\"world\"";
    keypair.sign(event, {});
    EXPECT_EQ(event.pubkey, keypair.public_key());
    EXPECT_EQ(event.id, compute_id(event));
    EXPECT_TRUE(signature_is_right(event));
  }
}

TEST(Keypair, SignsDifferentlyWithOtherRandomness) {
  const auto keypair = *Keypair::from(secret_from(std::string(63, '0') + "3"));
  Event one, other;
  keypair.sign(one, {});
  keypair.sign(other, {1});
  EXPECT_EQ(one.id, other.id);
  EXPECT_NE(one.sig, other.sig);
  EXPECT_TRUE(signature_is_right(one));
  EXPECT_TRUE(signature_is_right(other));
}

}  // namespace signature_test
}  // namespace graspd::nostr
