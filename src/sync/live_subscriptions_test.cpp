#include "sync/live_subscriptions.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace live_subscriptions_test {

using namespace parts_testing;

struct Following : Bench {
  NoHistory history;
  LiveSubscriptions live{peer, wires, refusals, reading, history, now};

  void open_all() {
    live.groups().pump(now);
    for (const Subscribe& one : take<Subscribe>()) works(one.sub);
  }
  void works(Sub sub) { live.groups().works(now, wires.find(sub)->group); }
  // The group that holds the values; the relay refused it.
  std::uint32_t refuse(FilterClass filter_class) {
    for (const auto& [id, group] : live.groups().all()) {
      const bool is_it = group.slices.front().filter_class == filter_class && !group.retiring;
      if (!is_it) continue;
      if (group.sub) wires.take(*group.sub);
      live.groups().reopen(now, id, now.instant);
      return id;
    }
    ADD_FAILURE() << "no such group";
    return 0;
  }
};

TEST(LiveSubscriptions, AskForNothingBeforeThereIsAPlan) {  // R1
  Following one;
  one.live.replan(one.now);
  one.live.groups().pump(one.now);
  EXPECT_TRUE(one.take<Subscribe>().empty());
  one.live.follow(one.now, one.target());
  one.live.groups().pump(one.now);
  EXPECT_EQ(one.take<Subscribe>().size(), 1u);  // announcements
}

TEST(LiveSubscriptions, ReadWhatAReplacedGroupMissed) {  // R2
  Following one;
  one.live.follow(one.now, one.target());
  one.open_all();
  const core::UnixSeconds lost = one.now.unix_seconds;
  one.refuse(FilterClass::Repositories);
  one.pass(1min);
  one.follow("a");
  EXPECT_TRUE(one.live.grow(one.target()));
  EXPECT_FALSE(one.live.grow(one.target()));
  one.live.replan(one.now);
  one.open_all();
  one.open_all();
  const auto gap = one.live.groups().take_gap(one.now);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->window.since, lost - 900);
  one.live.check_books();
}

TEST(LiveSubscriptions, HalveARefusedGroupUntilTheValueStandsAlone) {  // R3
  Following one;
  one.memory.split_classes = true;
  const RepoId a = one.follow("a"), b = one.follow("b");
  one.live.follow(one.now, one.target());
  one.open_all();
  one.live.split(one.now, one.refuse(FilterClass::RepoA));
  std::size_t halves = 0;
  for (const auto& [id, group] : one.live.groups().all()) halves += group.by_hand ? 1 : 0;
  EXPECT_EQ(halves, 2u);
  EXPECT_TRUE(one.history.parked.empty());
  one.live.check_books();
  one.live.split(one.now, one.refuse(FilterClass::RepoA));
  EXPECT_EQ(one.history.parked, (Excluded{{FilterClass::RepoA, a.value}}));
  EXPECT_NE(a.value, b.value);
}

TEST(LiveSubscriptions, FindOutFirstWhichClassIsRefused) {
  Following one;
  one.follow("a");
  one.live.follow(one.now, one.target());
  one.open_all();
  const std::uint32_t group = one.refuse(FilterClass::Repositories);
  EXPECT_EQ(one.live.class_of(group), RequestClass::Announcements);
  EXPECT_TRUE(one.live.split_classes(one.now, group));
  EXPECT_TRUE(one.memory.split_classes);
  EXPECT_FALSE(one.live.split_classes(one.now, one.refuse(FilterClass::Repositories)));
}

TEST(LiveSubscriptions, LeaveOutWhatIsNotWantedWhenItIsAQuarter) {  // R4
  Following one;
  std::vector<RepoId> repos;
  for (int i = 0; i < 8; ++i) repos.push_back(one.follow("r" + std::to_string(i)));
  one.live.follow(one.now, one.target());
  one.unfollow(repos[0]);
  one.unfollow(repos[1]);
  EXPECT_FALSE(one.live.shrink_to(one.target()));
  one.unfollow(repos[2]);
  EXPECT_TRUE(one.live.shrink_to(one.target()));
}

}  // namespace live_subscriptions_test
}  // namespace graspd::sync
