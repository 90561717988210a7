#include "sync/live_groups.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace live_groups_test {

using namespace parts_testing;

const Group kAnnouncements{{FilterClass::Announcements, {}}};
const Group kRepositories{{FilterClass::Repositories, {}}};

struct Open : Bench {
  NoHistory history;
  Rotation rotation{context.options, history, now};
  LiveGroups groups{peer, wires, reading, rotation};

  void plan(std::vector<Group> planned) {
    DarkClasses dark = groups.keep(planned);
    for (Group& group : planned) {
      const auto since = dark.since(group);
      groups.add(std::move(group), since, false);
    }
  }
  Sub pump() {
    groups.pump(now);
    groups.check_invariants();
    return take<Subscribe>().at(0).sub;
  }
  std::uint32_t group_of(Sub sub) { return wires.find(sub)->group; }
};

TEST(LiveGroups, OpenTheNewBeforeTheOldCloses) {  // R1
  Open one;
  one.plan({kAnnouncements});
  one.groups.works(one.now, one.group_of(one.pump()));
  one.plan({kRepositories});
  const Sub second = one.pump();
  EXPECT_EQ(one.groups.open_count(), 2u);
  one.groups.works(one.now, one.group_of(second));
  EXPECT_EQ(one.take<Unsubscribe>().size(), 1u);
  EXPECT_EQ(one.groups.open_count(), 1u);
  EXPECT_EQ(one.groups.since(), one.now.unix_seconds);
}

TEST(LiveGroups, CloseTheOldFirstWhereThereIsNoSpace) {  // R1
  Open one;
  one.peer.budget.slots = one.peer.budget.live_slots = 1;
  one.plan({kAnnouncements});
  one.groups.works(one.now, one.group_of(one.pump()));
  one.plan({kRepositories});
  one.groups.pump(one.now);
  ASSERT_EQ(one.context.actions.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Unsubscribe>(one.context.actions[0]));
}

TEST(LiveGroups, ReadWhatTheyMissed) {  // R2
  Open one;
  one.plan({kAnnouncements});
  const std::uint32_t group = one.group_of(one.pump());
  one.groups.works(one.now, group);
  EXPECT_FALSE(one.groups.take_gap(one.now));
  const core::UnixSeconds lost = one.now.unix_seconds;
  one.wires.drop(*one.groups.at(group).sub);
  one.groups.reopen(one.now, group, one.now.instant + 10s);
  one.pass(9s);
  EXPECT_FALSE(one.groups.is_waiting(one.now));
  EXPECT_TRUE(one.groups.is_missing());
  one.pass(1s);
  one.groups.works(one.now, one.group_of(one.pump()));
  const auto gap = one.groups.take_gap(one.now);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->slices, kAnnouncements);
  EXPECT_EQ(gap->window.since, lost - 900);
  EXPECT_FALSE(one.groups.take_gap(one.now));
}

TEST(LiveGroups, BelieveWhoNeverAnswersAndReadItAgainAndAgain) {  // R3
  Open one;
  one.plan({kAnnouncements});
  for (int i = 0; i < 2; ++i) {
    const Sub sub = one.pump();
    one.pass(2min);
    one.groups.timed_out(one.now, sub);
  }
  const Sub third = one.pump();
  one.pass(2min);
  one.groups.timed_out(one.now, third);
  EXPECT_NE(one.wires.find(third), nullptr);
  EXPECT_TRUE(one.groups.take_gap(one.now));
  EXPECT_FALSE(one.groups.take_gap(one.now));
  one.pass(1min);
  EXPECT_TRUE(one.groups.take_gap(one.now));
  one.pass(2min);
  one.groups.ask_believed_again(one.now);
  EXPECT_EQ(one.wires.find(third), nullptr);
  EXPECT_TRUE(one.groups.is_waiting(one.now));
}

TEST(LiveGroups, WaitLongerEachTimeTheyAreRefused) {  // R4
  Open one;
  one.plan({kAnnouncements});
  const std::uint32_t group = one.group_of(one.pump());
  one.wires.drop(*one.groups.at(group).sub);
  one.groups.reopen_later(one.now, group);
  EXPECT_EQ(one.groups.at(group).not_before, one.now.instant + 65s);
  EXPECT_EQ(one.groups.repairs(one.now), 1u);
  one.groups.reopen_later(one.now, group);
  EXPECT_EQ(one.groups.at(group).not_before, one.now.instant + 130s);
  one.groups.retry_now(one.now);
  EXPECT_TRUE(one.groups.is_waiting(one.now));
}

}  // namespace live_groups_test
}  // namespace graspd::sync
