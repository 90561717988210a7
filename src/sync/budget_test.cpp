#include "sync/budget.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace budget_test {

TEST(Budget, IsCautiousWithAStranger) {
  const Budget budget = make_budget(std::nullopt, {});
  EXPECT_EQ(budget.slots, 18u);
  EXPECT_EQ(budget.live_slots, 17u);
  EXPECT_EQ(budget.filter_bytes, 32u * 1024);
  EXPECT_EQ(budget.req_bytes, 96u * 1024);
  EXPECT_EQ(budget.ids_per_fetch, 480u);
}

TEST(Budget, FollowsWhatThePeerStates) {
  PeerInformation stated{.max_subscriptions = 10, .max_message_length = 40'000, .max_limit = 300};
  const Budget budget = make_budget(stated, {});
  EXPECT_EQ(budget.slots, 8u);
  EXPECT_EQ(budget.filter_bytes, 10'000u);
  EXPECT_EQ(budget.req_bytes, 30'000u);
  EXPECT_EQ(budget.page_limits, (PageLimits{.page = 300, .second = 300}));
  EXPECT_LE(budget.ids_per_fetch, 300u);
  stated.max_message_length = 100'000'000;
  EXPECT_EQ(make_budget(stated, {}).filter_bytes, 60'000u);
  EXPECT_EQ(make_budget(stated, {}).req_bytes, 512u * 1024);
}

TEST(Budget, SendsReconciliationMessagesAsLargeAsThePeerTakes) {
  EXPECT_EQ(make_budget(std::nullopt, {}).frame_bytes, 60'000u);
  const auto frame_of = [](std::uint64_t message_bytes) {
    return make_budget(PeerInformation{.max_message_length = message_bytes}, {}).frame_bytes;
  };
  EXPECT_EQ(frame_of(131'072), 49'152u) << "hex doubles it, and the filter has its share";
  EXPECT_EQ(frame_of(5 * 1024 * 1024), 480'000u) << "our own software";
  EXPECT_EQ(frame_of(1), 1'536u);
}

TEST(Budget, SendsNoMoreFiltersThanAreStatedOrLearnt) {
  EXPECT_EQ(make_budget(PeerInformation{.max_filters = 3}, {}).filters_per_req, 3u);
  EXPECT_EQ(make_budget(PeerInformation{.max_filters = 100}, {}).filters_per_req, 10u);
  EXPECT_EQ(
      make_budget(PeerInformation{.max_filters = 3}, {.filters_per_req_max = 2}).filters_per_req,
      2u);
}

TEST(Budget, LeavesRoomForOneRequestBelowALearntByteCap) {
  const Budget budget = make_budget(std::nullopt, {.retained_bytes_max = 1'048'576});
  EXPECT_EQ(budget.live_bytes, 1'048'576 - budget.req_bytes);
}

TEST(Budget, TriesNegentropyWhereItIsStatedOrNothingIs) {
  EXPECT_TRUE(may_reconcile(std::nullopt, {}, 0));
  PeerInformation stated{.supported_nips = std::vector<int>{1, 11}};
  EXPECT_FALSE(may_reconcile(stated, {}, 0));
  EXPECT_TRUE(may_reconcile(stated, {.negentropy_worked = true}, 0));
  stated.supported_nips->push_back(77);
  EXPECT_TRUE(may_reconcile(stated, {}, 0));
  EXPECT_FALSE(may_reconcile(stated, {.negentropy_refused_until = 100}, 99));
  EXPECT_TRUE(may_reconcile(stated, {.negentropy_refused_until = 100}, 100));
}

}  // namespace budget_test
}  // namespace graspd::sync
