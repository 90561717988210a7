#include "relay/member_set.h"

#include <gtest/gtest.h>

namespace graspd::relay {
namespace member_set_test {

nostr::PublicKey key(std::uint8_t n) {
  nostr::PublicKey::Bytes bytes{};
  bytes[0] = n;
  return nostr::PublicKey(bytes);
}

TEST(MemberSet, HoldsTheNamedAndTheServiceItself) {  // R1
  const MemberSet members(key(1), {key(2), key(3)}, MemberSet::Derives::Yes);
  for (const std::uint8_t n : {1, 2, 3}) EXPECT_TRUE(members.contains(key(n)));
  EXPECT_FALSE(members.contains(key(4)));
}

TEST(MemberSet, HoldsDerivedMembersUnlessTheyAreSwitchedOff) {  // R1
  MemberSet open(key(1), {key(2)}, MemberSet::Derives::Yes);
  EXPECT_TRUE(open.use_derived({key(2), key(5)}));
  EXPECT_TRUE(open.contains(key(5)));
  EXPECT_EQ(open.derived(), Keys{key(5)});
  EXPECT_TRUE(open.use_derived({}));
  EXPECT_FALSE(open.contains(key(5)));
  EXPECT_TRUE(open.contains(key(2)));

  MemberSet closed(key(1), {key(2)}, MemberSet::Derives::No);
  EXPECT_FALSE(closed.use_derived({key(5)}));
  EXPECT_FALSE(closed.contains(key(5)));
}

TEST(MemberSet, CountsChangesOfWhoIsAMember) {  // R2
  MemberSet members(key(1), {key(2)}, MemberSet::Derives::Yes);
  EXPECT_EQ(members.generation(), 1U);
  EXPECT_FALSE(members.use_derived({key(2)}));
  EXPECT_FALSE(members.use_named({key(1), key(2)}));
  EXPECT_EQ(members.generation(), 1U);
  EXPECT_TRUE(members.use_named({key(3)}));  // key 2 stays, as a derived member
  EXPECT_TRUE(members.contains(key(2)));
  EXPECT_TRUE(members.use_derived({}));
  EXPECT_FALSE(members.contains(key(2)));
  EXPECT_EQ(members.generation(), 3U);
}

TEST(MemberSet, DerivesFromRelaysThatServedAnnouncementsList) {  // R1
  const auto a = *nostr::RelayUrl::parse("wss://a.example");
  const auto b = *nostr::RelayUrl::parse("wss://b.example");
  EXPECT_EQ(derived_members({a}, {{a, key(7)}, {b, key(8)}}), Keys{key(7)});
}

}  // namespace member_set_test
}  // namespace graspd::relay
