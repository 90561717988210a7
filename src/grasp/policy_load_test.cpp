#include <gtest/gtest.h>
#include <random>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_load_test {

using namespace testing;

TEST(PolicyLoad, KnowsAfterARestartWhatItKnewBefore) {
  World world;
  world.serve(1, {.maintainers = {2, 3}});
  world.send(announcement(2, {.maintainers = {4}, .listed = false}));  // a guest
  const auto waiting = announcement(5, {.maintainers = {6}}), first = state(6, 'b', kStart + 1);
  const auto guest = announcement(6, {.maintainers = {7}, .listed = false});
  const auto pull = pull_request(9, 1);
  for (const auto& wire : {waiting, first, guest, pull}) world.send(wire);
  world.restart();
  EXPECT_TRUE(world.is_open(1));
  EXPECT_FALSE(world.is_open(2));
  EXPECT_TRUE(world.is_open(5));
  EXPECT_FALSE(world.is_open(6));
  EXPECT_TRUE(world.may_rule(4, 1));
  EXPECT_TRUE(world.may_rule(7, 5));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);
  EXPECT_EQ(world.ruling(5), first->event.id);
  for (const auto& wire : {waiting, first, guest, pull}) EXPECT_TRUE(world.holds(wire));
  EXPECT_EQ(world.policy().catalog().served_repos(), 1U);
}

TEST(PolicyLoad, KeepsDeadlines) {
  World world;
  world.send(announcement(1));
  world.pass(20 * 60);
  world.restart();
  world.pass(10 * 60);
  EXPECT_FALSE(world.is_open(1));
  world.restart();
  EXPECT_FALSE(world.is_open(1));  // asleep as before
  EXPECT_TRUE(world.holds(announcement(1)));
  world.pass(24 * 3600);
  EXPECT_EQ(world.notes("purgatory/announcement").size(), 0U);
  EXPECT_EQ(world.notes("purgatory/expired").size(), 1U);
}

TEST(PolicyLoad, DropsTheNoteOfWhatWasStoredBeforeACrash) {
  World world;
  const auto served = world.serve(1);
  Transition notes;
  Purgatory().hold_announcement(coordinate(1), {served, kStart + 1800, false, false}, notes);
  ASSERT_TRUE(world.store().write({{}, {}, notes.all<store::Note>()}, kStart));
  world.restart();
  EXPECT_EQ(world.policy().catalog().find(coordinate(1))->place, Place::Served);
  world.pass(5);
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);
  EXPECT_TRUE(world.is_open(1));
}

TEST(PolicyLoad, PassesOverNotesThatCannotBeRead) {
  World world;
  const std::string key = author(1).hex() + "/project";
  const std::vector<store::Note> junk = {{"floor/" + key, ""},
                                         {"floor/x", "5 x"},
                                         {"floor/" + key + "2", "5"},
                                         {"removal/", "5"},
                                         {"purgatory/", ""},
                                         {"purgatory/pull/zz", "1 0 0\n{}"},
                                         {"purgatory/state/" + key, "x"},
                                         {"purgatory/upload/token", "1 2 3"},
                                         {"purgatory/expired/zz", "5"}};
  ASSERT_TRUE(world.store().write({{}, {}, junk}, kStart));
  world.restart();
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.send(announcement(1)), "purgatory");
}

// Whatever happened, a restarted server knows the same.
class Life {
 public:
  explicit Life(unsigned seed) : random_(seed) {}

  void step() {
    const std::uint32_t who = pick(4) + 1;
    const core::UnixSeconds at = kStart + pick(60);
    const bool listed = pick(4) > 0;
    switch (pick(8)) {
      case 0:
      case 1:
        return void(
            world_.send(announcement(who, {.at = at, .maintainers = some(), .listed = listed})));
      case 2:
      case 3:
        return void(world_.send(state(who, static_cast<char>('a' + pick(3)), at)));
      case 4:
        return void(world_.send(pull_request(who, pick(4) + 1, 'a', at)));
      case 5:
        return world_.pass(pick(2 * 3600));
      case 6:
        return release();
      default:
        return void(world_.send(deletion(
            who,
            {{pick(2) ? "a" : "x", address(who)}, {"a", "30618:" + author(who).hex() + ":project"}},
            at)));
    }
  }

  std::string knowledge() {
    std::string all;
    const PolicySnapshot& policy = world_.known();
    for (std::uint32_t who = 1; who <= 4; ++who) {
      const auto* listing = policy.catalog().find(coordinate(who));
      const auto ruling = policy.ruling(coordinate(who));
      all += fmt::format("{} {} {} {} {}\n", who, policy.is_open(coordinate(who)),
                         listing ? listing->announcement.id.hex() : "-",
                         listing ? static_cast<int>(listing->place) : -1,
                         ruling && listing ? ruling->version.id.hex() : "-");
    }
    return all + fmt::format("{}", policy.purgatory().size());
  }
  void restart() { world_.restart(); }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::vector<std::uint32_t> some() {
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = 1; key <= 4; ++key)
      if (pick(3) == 0) keys.push_back(key);
    return keys;
  }
  void release() {
    Events events;
    for (const Coordinate& repo : world_.known().purgatory().announcements().keys()) {
      const auto ruling = world_.known().ruling(repo);
      if (!ruling || !world_.known().is_open(repo)) continue;
      events.push_back(world_.known().purgatory().announcement(repo)->event);
      for (const auto* held : world_.known().purgatory().states().of(repo.identifier))
        if (held->state.id == ruling->version.id) events.push_back(held->event);
    }
    world_.release(events);
  }

  std::mt19937 random_;
  World world_;
};

TEST(PolicyLoad, KnowsTheSameAfterAnyLife) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Life life(seed);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 10; ++i) life.step();
      const std::string before = life.knowledge();
      life.restart();
      ASSERT_EQ(life.knowledge(), before) << "seed " << seed << " round " << round;
    }
  }
}

}  // namespace policy_load_test
}  // namespace graspd::grasp
