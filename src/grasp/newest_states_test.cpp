#include "grasp/newest_states.h"

#include <gtest/gtest.h>
#include <random>

namespace graspd::grasp {
namespace newest_states_test {

using nostr::PublicKey;
using nostr::Version;

PublicKey author(unsigned number) {
  PublicKey::Bytes bytes{};
  bytes[0] = static_cast<std::uint8_t>(number);
  bytes[1] = static_cast<std::uint8_t>(number >> 8U);
  return PublicKey(bytes);
}
Version version(core::UnixSeconds at, unsigned id) {
  std::array<std::uint8_t, 32> bytes{};
  bytes[0] = static_cast<std::uint8_t>(id);
  bytes[1] = static_cast<std::uint8_t>(id >> 8U);
  return {at, nostr::EventId(bytes)};
}

std::optional<Version> naive(const std::map<PublicKey, Version>& states,
                             const std::set<PublicKey>& members) {
  std::optional<Version> newest;
  for (const auto& [key, state] : states)
    if (members.contains(key) && (!newest || nostr::wins(state, *newest))) newest = state;
  return newest;
}

TEST(NewestStates, R1_AreWhatALookAtAllOfThemTells) {
  std::mt19937 random(7);
  const auto below = [&](unsigned max) { return static_cast<unsigned>(random() % max); };
  constexpr unsigned kAuthors = 40, kTimes = 6;
  NewestStates states;
  std::map<PublicKey, Version> all;
  for (unsigned step = 0; step < 5'000; ++step) {
    const PublicKey key = author(below(kAuthors));
    if (below(3) == 0) {
      EXPECT_EQ(states.erase(key), all.erase(key) > 0);
    } else {
      const Version one = version(below(kTimes), step);
      states.put(key, one);
      all.insert_or_assign(key, one);
    }
    std::set<PublicKey> members;
    for (unsigned i = below(kAuthors); i > 0; --i) members.insert(author(below(2 * kAuthors)));
    const auto expected = naive(all, members);
    const auto found = states.newest_of(members);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (found) {
      ASSERT_EQ(found->id, expected->id);
    }
    EXPECT_EQ(states.empty(), all.empty());
  }
}

TEST(NewestStates, R2_OfACrowdAreFoundWithFewLooks) {
  constexpr unsigned kCrowd = 1'000, kMembers = 200;
  NewestStates states;
  for (unsigned i = 0; i < kCrowd; ++i) states.put(author(i), version(i, i));
  std::set<PublicKey> circle;
  for (unsigned i = 0; i < kCrowd; i += kCrowd / kMembers) circle.insert(author(i));
  std::size_t looks = 0;
  EXPECT_EQ(states.newest_of(circle, &looks)->created_at, kCrowd - kCrowd / kMembers);
  EXPECT_LE(looks, 2 * kCrowd / kMembers);
  looks = 0;
  EXPECT_EQ(states.newest_of({author(0)}, &looks)->created_at, 0);
  EXPECT_LE(looks, 2U);
}

TEST(NewestStates, R2_AreBoundedByTheMembersWhoeverElseSigned) {
  constexpr unsigned kCrowd = 1'000, kMembers = 200;
  NewestStates states;
  for (unsigned i = 0; i < kCrowd; ++i) states.put(author(i), version(i, i));
  std::set<PublicKey> oldest;
  for (unsigned i = 0; i < kMembers; ++i) oldest.insert(author(i));
  std::size_t looks = 0;
  EXPECT_EQ(states.newest_of(oldest, &looks)->created_at, kMembers - 1);
  EXPECT_LE(looks, 2 * kMembers);
}

}  // namespace newest_states_test
}  // namespace graspd::grasp
