#include "serve/fetch/fetch_repair.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::serve {
namespace scheduler_repair_test {

using namespace grasp::testing;
using git::fetch::Reason;

const grasp::Service kOwn = *grasp::Service::parse("us.example");
const std::string kMirror =
    "https://them.example/" + nostr::nip19::npub(author(2)) + "/project.git";

git::Oid object(char digit) { return *git::Oid::parse(oid(digit)); }

grasp::PullRequest pull(std::uint8_t number, char commit, std::vector<std::string> clone) {
  nostr::EventId::Bytes id{};
  id[0] = number;
  return {.id = nostr::EventId(id),
          .repositories = {coordinate(1)},
          .has_c = true,
          .commit = object(commit),
          .clone = std::move(clone)};
}

std::vector<std::string> asked(const RepairOrder& order) {
  std::vector<std::string> urls;
  for (const auto& source : order.wanted.sources) urls.push_back(source.url.text());
  return urls;
}

class Repairing : public ::testing::Test {
 protected:
  World world;

  void SetUp() override {
    world.serve(1, {.maintainers = {2}});
    world.send(announcement(2, {.maintainers = {1}, .listed = false}));
  }
  std::vector<RepairOrder> orders(const Damage& damage) {
    return repair_orders(world.known(), coordinate(1), damage, kOwn);
  }
};

TEST_F(Repairing, R1AsksTheServersOfTheAnnouncementForAllTips) {
  const auto all = orders({{object('a'), object('b')}, {}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].wanted.reason, Reason::Repair);
  EXPECT_EQ(all[0].wanted.event, repair_key(all[0].wanted.repo));
  EXPECT_EQ(all[0].wanted.missing, (std::vector{object('a'), object('b')}));
  EXPECT_EQ(asked(all[0]), std::vector{kMirror});
}

TEST_F(Repairing, R2AsksTheServerOfAPullRequestForItsCommitAlone) {
  const auto lost = pull(7, 'b', {"https://fork.example/p.git", "https://us.example/p.git"});
  const auto all = orders({{object('a'), object('b')}, {lost}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].wanted.reason, Reason::PullRepair);
  EXPECT_NE(all[1].wanted.event, all[0].wanted.event);
  EXPECT_EQ(all[1].wanted.missing, std::vector{object('b')});
  EXPECT_EQ(asked(all[1]), std::vector<std::string>{"https://fork.example/p.git"});
  EXPECT_EQ(all[1].pull, lost.id);
  EXPECT_EQ(asked(all[0]), std::vector{kMirror});
}

TEST_F(Repairing, R3AsksEverybodyForACommitWhoseRefIsGone) {
  const auto all = orders({{}, {pull(7, 'b', {"https://fork.example/p.git"})}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(asked(all[0]), (std::vector{std::string("https://fork.example/p.git"), kMirror}));
}

TEST_F(Repairing, R4IsBoundedAndCountsOnlyWhatSomebodyCanBeAskedFor) {
  Damage damage{{object('b')}, {}};
  for (int i = 0; i < 10; ++i) damage.pulls.push_back(pull(1, 'b', {}));
  for (int i = 0; i < 200; ++i)
    damage.pulls.push_back(pull(static_cast<std::uint8_t>(i), 'b', {"https://fork.example/p.git"}));
  EXPECT_EQ(orders(damage).size(), 1 + kPullRepairsMax);
}

}  // namespace scheduler_repair_test
}  // namespace graspd::serve
