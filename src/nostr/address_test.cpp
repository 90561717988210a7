#include "nostr/address.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::nostr {
namespace address_test {

const std::string kAuthor = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d";

Event event_of(std::uint16_t kind, Tags tags) {
  Event event;
  event.kind = Kind{kind};
  event.pubkey = *PublicKey::from_hex(kAuthor);
  event.tags = std::move(tags);
  return event;
}

TEST(Address, IsReadIntoItsThreeParts) {
  const auto address = Address::parse("30617:" + kAuthor + ":my-repo");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->kind, Kind{30617});
  EXPECT_EQ(address->pubkey.hex(), kAuthor);
  EXPECT_EQ(address->identifier, "my-repo");
}

TEST(Address, KeepsColonsAndAnythingElseInTheIdentifier) {  // R1
  for (std::string identifier : {"", ":", "a:b:c", " ", "\n", "ünï", "30023:x:"}) {
    const auto address = Address::parse("30023:" + kAuthor + ":" + identifier);
    ASSERT_TRUE(address) << identifier;
    EXPECT_EQ(address->identifier, identifier);
  }
}

TEST(Address, OfAReplaceableKindHasAnEmptyIdentifier) {  // R2
  EXPECT_TRUE(Address::parse("10002:" + kAuthor + ":"));
  EXPECT_TRUE(Address::parse("0:" + kAuthor + ":"));
  EXPECT_FALSE(Address::parse("10002:" + kAuthor + ":x"));
}

TEST(Address, IsRefusedForKindsThatHaveNone) {  // R3
  EXPECT_FALSE(Address::parse("1:" + kAuthor + ":"));
  EXPECT_FALSE(Address::parse("5:" + kAuthor + ":"));
  EXPECT_FALSE(Address::parse("20001:" + kAuthor + ":"));
}

TEST(Address, IsRefusedWhenMalformed) {
  for (const std::string& text :
       {std::string(), std::string(":"), std::string("::"), std::string("30617"),
        std::string("30617::repo"), "30617:" + kAuthor, ":" + kAuthor + ":x",
        "030617:" + kAuthor + ":x", "00:" + kAuthor + ":", "+30617:" + kAuthor + ":x",
        "-1:" + kAuthor + ":x", " 30617:" + kAuthor + ":x", "30617 :" + kAuthor + ":x",
        "65536:" + kAuthor + ":x", "99999999999999999999:" + kAuthor + ":x",
        "30617:" + kAuthor.substr(1) + ":x", "30617:" + kAuthor + "0:x",
        "30617:3BF0" + kAuthor.substr(4) + ":x", "30617:zz" + kAuthor.substr(2) + ":x"}) {
    EXPECT_FALSE(Address::parse(text)) << text;
  }
}

TEST(Address, OfAnEventFollowsItsKind) {  // R2, R3
  const Tags tags = {{"e", "x"}, {"d", "first"}, {"d", "second"}};
  EXPECT_EQ(address_of(event_of(30617, tags))->text(), "30617:" + kAuthor + ":first");
  EXPECT_EQ(address_of(event_of(30617, {}))->text(), "30617:" + kAuthor + ":");
  EXPECT_EQ(address_of(event_of(10002, tags))->text(), "10002:" + kAuthor + ":");
  EXPECT_EQ(address_of(event_of(0, tags))->text(), "0:" + kAuthor + ":");
  EXPECT_FALSE(address_of(event_of(1, tags)));
  EXPECT_FALSE(address_of(event_of(20001, tags)));
}

TEST(Address, IsReadBackFromItsOwnText) {
  constexpr std::uint64_t kSeed = 32;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int i = 0; i < 1000; ++i) {
    PublicKey::Bytes key;
    for (auto& byte : key) byte = static_cast<std::uint8_t>(rng.next());
    std::string name(rng.below(40), 'x');
    for (char& c : name) c = static_cast<char>(rng.next());
    const Address address{Kind{static_cast<std::uint16_t>(30000 + rng.below(10000))},
                          PublicKey(key), name};
    EXPECT_EQ(Address::parse(address.text()), address);
  }
}

}  // namespace address_test
}  // namespace graspd::nostr
