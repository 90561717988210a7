#include "relay/backlog.h"

#include <gtest/gtest.h>

namespace graspd::relay {
namespace backlog_test {

constexpr std::size_t kMax = 1'000;

Delivered event(std::uint64_t number, std::uint64_t batch, std::size_t bytes = 400) {
  return {number, std::make_shared<nostr::WireEvent>(nostr::WireEvent{{}, std::string(bytes, 'x')}),
          batch};
}

TEST(Backlog, GivesEventsInTheirOrderWhileTheSocketTakesThem) {  // R1
  Backlog backlog(kMax);
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(backlog.take(event(i, 1), 0));
  EXPECT_FALSE(backlog.next(Backlog::kPortionBytes + 1));
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto next = backlog.next(Backlog::kPortionBytes);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->subscription, i);
  }
  EXPECT_TRUE(backlog.empty());
  EXPECT_FALSE(backlog.next(0));
}

TEST(Backlog, IsNotTooLongBecauseOfOneBatch) {  // R2
  Backlog backlog(kMax);
  for (std::uint64_t i = 0; i < 1'000; ++i) EXPECT_TRUE(backlog.take(event(i, 1), i * 100));
}

TEST(Backlog, IsTooLongWhenEarlierBatchesAreUnread) {  // R2
  Backlog backlog(kMax);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(backlog.take(event(i, 1), 0));
  EXPECT_FALSE(backlog.take(event(3, 2), 0));
  EXPECT_FALSE(backlog.take(event(4, 2), 0));
  while (backlog.next(0)) {
  }
  EXPECT_TRUE(backlog.take(event(5, 3), kMax));
  EXPECT_FALSE(backlog.take(event(6, 4), kMax + 1)) << "what the socket has counts too";
}

TEST(Backlog, CountsWhatIsLeftOfIt) {  // R2
  Backlog backlog(kMax);
  for (std::uint64_t batch = 1; batch < 1'000; ++batch) {
    ASSERT_TRUE(backlog.take(event(2 * batch, batch), 0));
    ASSERT_TRUE(backlog.take(event(2 * batch + 1, batch), 0));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(backlog.next(0));
  }
  ASSERT_TRUE(backlog.take(event(0, 1'001, kMax + 1), 0));
  backlog.clear();
  EXPECT_TRUE(backlog.empty());
  EXPECT_TRUE(backlog.take(event(0, 1'002), 0));
}

TEST(Backlog, HasNoLimitWhenItIsZero) {
  Backlog backlog(0);
  for (std::uint64_t i = 1; i < 100; ++i) EXPECT_TRUE(backlog.take(event(i, i), 1'000'000'000));
}

}  // namespace backlog_test
}  // namespace graspd::relay
