#include "sync/lost_ids.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace lost_ids_test {

using namespace std::chrono_literals;
constexpr core::Instant kStart{1h};

nostr::EventId id(std::uint8_t number) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = number;
  return nostr::EventId(bytes);
}

TEST(LostIds, AreAskedForTwelveTimesMoreAndMoreRarely) {  // R1
  LostIds lost;
  const Options options;
  lost.add(id(1), kStart);
  std::vector<core::Duration> waits;
  core::Instant now = kStart;
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(lost.take_due(options, now, 10).size(), 1u);
    waits.push_back(*lost.next_due() - now);
    EXPECT_EQ(lost.expire(now), 0u);
    now = *lost.next_due();
  }
  EXPECT_EQ(waits.front(), 30s);
  EXPECT_EQ(waits[1], 60s);
  EXPECT_EQ(waits.back(), 15min);
  EXPECT_TRUE(lost.take_due(options, now, 10).empty());
  EXPECT_EQ(lost.expire(now), 1u);
}

TEST(LostIds, ComeOldestFirst) {  // R2
  LostIds lost;
  lost.add(id(9), kStart);
  lost.add(id(1), kStart);
  EXPECT_EQ(lost.take_due({}, kStart, 1), std::vector{id(9)});
  EXPECT_EQ(lost.take_due({}, kStart, 1), std::vector{id(1)});
}

TEST(LostIds, AreDueWhenTheEarliestIsWhateverBecameOfTheOthers) {  // R4
  LostIds lost;
  EXPECT_EQ(lost.next_due(), std::nullopt);
  lost.add(id(1), kStart + 2s);
  lost.add(id(2), kStart + 1s);
  EXPECT_EQ(lost.next_due(), kStart + 1s);
  EXPECT_TRUE(lost.remove(id(2)));
  EXPECT_FALSE(lost.remove(id(2)));
  EXPECT_EQ(lost.next_due(), kStart + 2s);
  EXPECT_TRUE(lost.take_due({}, kStart + 1s, 10).empty());
  EXPECT_EQ(lost.take_due({}, kStart + 2s, 10), std::vector{id(1)});
  EXPECT_EQ(lost.next_due(), kStart + 32s);
  lost.clear();
  EXPECT_EQ(lost.next_due(), std::nullopt);
}

TEST(LostIds, ThatWereTriedOutBeforeARestartAreGivenUpAfterIt) {  // R1
  LostIds again;
  again.restore({{id(1), LostIds::kTriesMax}, {id(2), 3}}, kStart);
  EXPECT_EQ(again.take_due({}, kStart, 10), std::vector{id(2)});
  EXPECT_EQ(again.expire(kStart), 1u);
  EXPECT_EQ(again.size(), 1u);
}

TEST(LostIds, SurviveARestartWithTheirTries) {
  LostIds lost;
  lost.add(id(1), kStart);
  (void)lost.take_due({}, kStart, 1);
  LostIds again;
  again.restore(lost.record(), kStart);
  EXPECT_EQ(again.record(), (std::vector<LostId>{{id(1), 1}}));
  EXPECT_TRUE(again.remove(id(1)));
  EXPECT_EQ(again.size(), 0u);
}

}  // namespace lost_ids_test
}  // namespace graspd::sync
