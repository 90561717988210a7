#include "sync/live_plan.h"

#include <set>

#include "gtest/gtest.h"

namespace graspd::sync {
namespace live_plan_test {

nostr::EventId event_id(std::uint32_t number) {
  nostr::EventId::Bytes bytes{};
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nostr::EventId(bytes);
}
nostr::Address address(std::uint32_t number) {
  return {.kind = {30617}, .pubkey = {}, .identifier = "r" + std::to_string(number)};
}

struct World {
  RepoIndex index;
  Items items;

  void grow(std::uint32_t repos, std::uint32_t roots, core::UnixSeconds at = 0) {
    for (std::uint32_t i = 0; i < repos; ++i) {
      items.repos.add(index.repo(address(static_cast<std::uint32_t>(index.size()))).value);
    }
    for (std::uint32_t i = 0; i < roots; ++i) {
      const auto id = event_id(static_cast<std::uint32_t>(index.root_count()));
      index.add_root(id, {address(0)}, at);
      items.roots.add(index.find_root(id)->value);
    }
  }
  LivePlan plan(const Budget& budget, LiveNeeds needs = {}) const {
    return plan_live(index, items, budget, needs, {});
  }
};

// Every value of every class is in exactly one filter.
void expect_complete(const World& world, const LivePlan& plan) {
  std::set<std::pair<FilterClass, std::uint32_t>> seen;
  for (const auto* groups : {&plan.live, &plan.rotating}) {
    for (const Group& group : *groups) {
      for (const Slice& slice : group) {
        for (const std::uint32_t id : slice.ids) {
          EXPECT_TRUE(seen.emplace(slice.filter_class, id).second);
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 4 * world.items.repos.size() + 3 * world.items.roots.size());
}

TEST(LivePlan, AsksForAFewThingsInOneRequest) {
  World world;
  world.grow(3, 5);
  const LivePlan plan = world.plan({});
  ASSERT_EQ(plan.live.size(), 1u);
  EXPECT_EQ(plan.live[0].size(), 8u);
  expect_complete(world, plan);
}

TEST(LivePlan, TouchesOnlyTheTailWhenItGrows) {  // R1
  World world;
  world.grow(50, 1650);
  const LivePlan before = world.plan({});
  world.grow(0, 20);
  const LivePlan after = world.plan({});
  std::size_t kept = 0;
  for (const Group& group : before.live) {
    kept += static_cast<std::size_t>(std::count(after.live.begin(), after.live.end(), group));
  }
  EXPECT_GE(kept, 3u);  // ten full slices each of e, E and q
  expect_complete(world, after);
}

TEST(LivePlan, WidensItsFiltersInsteadOfHavingMore) {  // R2
  World world;
  world.grow(10, 3000);
  const LivePlan plan = world.plan({});
  EXPECT_TRUE(plan.wide);
  EXPECT_LE(plan.live_filters, 30u);
  EXPECT_TRUE(plan.rotating.empty());
  expect_complete(world, plan);
}

TEST(LivePlan, RotatesWhatDoesNotFitColdRootsFirst) {  // R3
  World world;
  world.grow(10, 500, 1'800'000'000);
  world.grow(0, 20'000, 1'000'000'000);
  Budget budget;
  budget.live_slots = 3;
  const LivePlan plan = world.plan(budget, {.now = 1'800'000'100});
  EXPECT_EQ(plan.live.size(), 3u);
  EXPECT_FALSE(plan.rotating.empty());
  expect_complete(world, plan);
  IdSet hot_live;
  for (const Group& group : plan.live) {
    for (const Slice& slice : group) {
      if (slice.filter_class != FilterClass::RootE) continue;
      for (const std::uint32_t id : slice.ids) hot_live.add(id);
    }
  }
  for (std::uint32_t id = 0; id < 500; ++id) EXPECT_TRUE(hot_live.contains(id));
}

TEST(LivePlan, StaysWithinTheRetainedBytes) {
  World world;
  world.grow(10, 5000);
  Budget budget;
  budget.live_bytes = 300'000;
  const LivePlan plan = world.plan(budget);
  std::size_t bytes = 0;
  for (const Group& group : plan.live) bytes += group_bytes(world.index, group);
  EXPECT_LE(bytes, 300'000u);
  EXPECT_FALSE(plan.rotating.empty());
  expect_complete(world, plan);
}

}  // namespace live_plan_test
}  // namespace graspd::sync
