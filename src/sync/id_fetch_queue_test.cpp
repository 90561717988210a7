#include "sync/id_fetch_queue.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace id_fetch_queue_test {

nostr::EventId id(std::uint8_t number) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = number;
  return nostr::EventId(bytes);
}
constexpr JobKey kOne{1, 1}, kTwo{1, 2};

TEST(IdFetchQueue, AsksOnceForWhatSeveralWant) {  // R1
  IdFetchQueue context;
  EXPECT_TRUE(context.want(kOne, id(1)));
  EXPECT_TRUE(context.want(kTwo, id(1)));
  EXPECT_FALSE(context.want(kTwo, id(1)));
  EXPECT_EQ(context.take(10), std::vector{id(1)});
  EXPECT_FALSE(context.has_work());
  EXPECT_EQ(context.settle(id(1)), (std::vector{kOne, kTwo}));
  EXPECT_TRUE(context.settle(id(1)).empty());
}

TEST(IdFetchQueue, AsksOnceMoreAndThenGivesUp) {  // R2
  IdFetchQueue context;
  context.want(kOne, id(1));
  context.want(kOne, id(2));
  EXPECT_EQ(context.take(10).size(), 2u);
  EXPECT_TRUE(context.left_out({id(1)}).empty());
  EXPECT_EQ(context.take(10), std::vector{id(1)});
  EXPECT_EQ(context.left_out({id(1)}), std::vector{id(1)});
}

TEST(IdFetchQueue, TakesBackWhatWasNeverAnswered) {
  IdFetchQueue context;
  context.want(kOne, id(1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(context.take(10).size(), 1u);
    context.put_back({id(1)});
  }
}

TEST(IdFetchQueue, ForgetsWhatNobodyWantsAnyMore) {
  IdFetchQueue context;
  context.want(kOne, id(1));
  context.want(kTwo, id(2));
  context.forget(kOne);
  EXPECT_FALSE(context.wants(id(1)));
  EXPECT_EQ(context.take(10), std::vector{id(2)});
}

}  // namespace id_fetch_queue_test
}  // namespace graspd::sync
