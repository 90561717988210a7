#include "sync/id_fetch_queue.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace fetch_desk_test {

nostr::EventId id(std::uint8_t number) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = number;
  return nostr::EventId(bytes);
}
constexpr JobKey kOne{1, 1}, kTwo{1, 2};

TEST(FetchDesk, AsksOnceForWhatSeveralWant) {  // R1
  FetchDesk desk;
  EXPECT_TRUE(desk.want(kOne, id(1)));
  EXPECT_TRUE(desk.want(kTwo, id(1)));
  EXPECT_FALSE(desk.want(kTwo, id(1)));
  EXPECT_EQ(desk.take(10), std::vector{id(1)});
  EXPECT_FALSE(desk.has_work());
  EXPECT_EQ(desk.settle(id(1)), (std::vector{kOne, kTwo}));
  EXPECT_TRUE(desk.settle(id(1)).empty());
}

TEST(FetchDesk, AsksOnceMoreAndThenGivesUp) {  // R2
  FetchDesk desk;
  desk.want(kOne, id(1));
  desk.want(kOne, id(2));
  EXPECT_EQ(desk.take(10).size(), 2u);
  EXPECT_TRUE(desk.left_out({id(1)}).empty());
  EXPECT_EQ(desk.take(10), std::vector{id(1)});
  EXPECT_EQ(desk.left_out({id(1)}), std::vector{id(1)});
}

TEST(FetchDesk, TakesBackWhatWasNeverAnswered) {
  FetchDesk desk;
  desk.want(kOne, id(1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(desk.take(10).size(), 1u);
    desk.put_back({id(1)});
  }
}

TEST(FetchDesk, ForgetsWhatNobodyWantsAnyMore) {
  FetchDesk desk;
  desk.want(kOne, id(1));
  desk.want(kTwo, id(2));
  desk.forget(kOne);
  EXPECT_FALSE(desk.wants(id(1)));
  EXPECT_EQ(desk.take(10), std::vector{id(2)});
}

}  // namespace fetch_desk_test
}  // namespace graspd::sync
