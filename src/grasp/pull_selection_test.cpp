#include "grasp/pull_selection.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace pull_selection_test {

using namespace testing;

PullEntry entry(std::uint32_t number, core::UnixSeconds at, PullStatus status = PullStatus::Open) {
  const auto wire = pull_request(100 + number, 1, 'b', at);
  PullEntry made{wire->event.id, parse_pull_request(wire->event)};
  made.status = status;
  return made;
}

TEST(PullSelection, KeepsAllWhileTheyAreFew) {  // R3
  std::vector<PullEntry> entries;
  for (std::uint32_t i = 0; i < 32; ++i) entries.push_back(entry(i, kStart + i));
  const auto selection = select_pulls(entries, 32);
  EXPECT_TRUE(selection.dropped.empty());
  EXPECT_EQ(selection.newest_seen, std::nullopt);
  EXPECT_EQ(selection.strangers_left, 32U);
}

TEST(PullSelection, DropsTheOldestOpenOnesAndSomeMore) {  // R3 R4
  std::vector<PullEntry> entries;
  for (std::uint32_t i = 0; i < 33; ++i) entries.push_back(entry(i, kStart + (i * 7) % 33));
  const auto selection = select_pulls(entries, 32);
  ASSERT_EQ(selection.dropped.size(), 3U);  // one, and a sixteenth
  EXPECT_EQ(selection.strangers_left, 30U);
  std::ranges::sort(entries, {}, [](const PullEntry& one) { return one.pull->created_at; });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(selection.dropped[i], entries[i].id);
  ASSERT_TRUE(selection.newest_seen);
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(selection.newest_seen->covers(*entries[i].pull), i < 3) << i;
}

TEST(PullSelection, NeverDropsThoseOfMembers) {  // R1
  std::vector<PullEntry> entries;
  for (std::uint32_t i = 0; i < 40; ++i) entries.push_back(entry(i, kStart + i));
  for (std::size_t i = 0; i < 20; ++i) entries[i].is_members = true;
  EXPECT_TRUE(select_pulls(entries, 20).dropped.empty());
  const auto selection = select_pulls(entries, 0);
  EXPECT_EQ(selection.dropped.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(selection.dropped[i], entries[20 + i].id);
}

TEST(PullSelection, DropsThoseWithoutAnEventFirstAndMergedOnesLast) {  // R3
  std::vector<PullEntry> entries{entry(1, kStart, PullStatus::Applied), entry(2, kStart + 1),
                                 entry(3, kStart + 2), entry(4, kStart + 3)};
  entries[3].pull.reset();
  const std::vector order{entries[3].id, entries[1].id, entries[2].id, entries[0].id};
  for (std::size_t count = 0; count <= 4; ++count) {
    const auto selection = drop_pulls(entries, count);
    EXPECT_EQ(selection.dropped, std::vector(order.begin(), order.begin() + count));
    EXPECT_EQ(selection.newest_seen.has_value(), count >= 2);  // only open ones raise it
  }
  EXPECT_EQ(drop_pulls(entries, 9).strangers_left, 0U);
}

class PullStatusesTest : public ::testing::Test {
 protected:
  World world;
  nostr::WireEventPtr pull = pull_request(7, 1, 'b', kStart);

  void SetUp() override {
    world.serve(1, {.maintainers = {2}});
    world.send(pull);
    world.release({pull});
  }
  void say(std::uint32_t who, std::uint16_t kind, core::UnixSeconds at) {
    EXPECT_EQ(world.send(event(who, kind, at, tags({{"e", pull->event.id.hex()}}))), "stored");
  }
  std::optional<PullStatus> status_of(const PullRequest& one) {
    const auto here = world.store().snapshot();
    const auto& members = world.policy().catalog().authority(coordinate(1)).members;
    const PullRequest* const all[] = {&one};
    const auto said = pull_statuses(all, {members.begin(), members.end()}, **here, world.now);
    const auto at = said->find(one.id);
    return at == said->end() ? std::nullopt : std::optional(at->second);
  }
  std::optional<PullStatus> status() { return status_of(parse_pull_request(pull->event)); }
};

TEST_F(PullStatusesTest, AreWhatAMaintainerSaidLast) {  // R2
  EXPECT_EQ(status(), std::nullopt);
  say(1, 1632, kStart + 2);
  EXPECT_EQ(status(), PullStatus::Closed);
  say(2, 1630, kStart + 3);
  EXPECT_EQ(status(), PullStatus::Open);
  say(2, 1632, kStart + 1);  // came late
  EXPECT_EQ(status(), PullStatus::Open);
  say(1, 1631, kStart + 4);
  EXPECT_EQ(status(), PullStatus::Applied);
  say(1, 1633, kStart + 5);
  EXPECT_EQ(status(), PullStatus::Open);
}

TEST_F(PullStatusesTest, OfOthersDoNotCount) {  // R2
  say(7, 1632, kStart + 1);                     // its author may delete it
  say(8, 1632, kStart + 1);
  EXPECT_EQ(status(), std::nullopt);
}

TEST_F(PullStatusesTest, OfAPullRequestAreThoseOfItsUpdates) {
  say(1, 1632, kStart + 2);
  PullRequest update = parse_pull_request(pull_request(7, 1, 'c', kStart + 1)->event);
  EXPECT_EQ(status_of(update), std::nullopt);
  update.parent = pull->event.id;
  EXPECT_EQ(status_of(update), PullStatus::Closed);
}

}  // namespace pull_selection_test
}  // namespace graspd::grasp
