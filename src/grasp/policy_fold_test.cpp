// What the policy knows is what was committed: a restart finds the same, and what was not committed
// leaves no trace. Rule numbers are those of grasp/policy_state.h.
#include <gtest/gtest.h>
#include <random>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_fold_test {
using namespace testing;

// Of a few people and a few names, so that they get in each other's way.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint32_t seed) : random_(seed) {}

  nostr::WireEventPtr next(core::UnixSeconds now) {
    const std::uint32_t who = 1 + pick(4);
    const std::string name = pick(3) == 0 ? "other" : "project";
    const core::UnixSeconds at = now - 50 + pick(60);
    switch (pick(9)) {
      case 0:
      case 1:
        return sent_.emplace_back(announcement(
            who,
            {.at = at, .identifier = name, .maintainers = maintainers(), .more = expiry(now)}));
      case 2:
        return sent_.emplace_back(
            announcement(who, {.at = at, .identifier = name, .listed = false}));
      case 3:
      case 4:
        return sent_.emplace_back(state(who, "abcdef"[pick(6)], at, name));
      case 5:
        return sent_.emplace_back(pull_request(who, 1 + pick(4), "abc"[pick(3)], at));
      case 6:
        return sent_.emplace_back(event(who, 1621, at, tags({{"a", address(1 + pick(4), name)}})));
      case 7:
        return sent_.emplace_back(event(who, 1111, at, tags({{"e", any()->event.id.hex()}})));
      default:
        return request(who, name, at);
    }
  }
  std::uint32_t pick(std::uint32_t below) { return random_() % below; }
  nostr::WireEventPtr any() {
    return sent_.empty() ? announcement(1) : sent_[pick(static_cast<std::uint32_t>(sent_.size()))];
  }

 private:
  nostr::WireEventPtr request(std::uint32_t who, const std::string& name, core::UnixSeconds at) {
    const auto target = any();
    if (pick(2) == 0) return deletion(who, {{"a", address(who, name)}}, at);
    if (pick(8) == 0) return event(who, 62, at, tags({{"relay", "ALL_RELAYS"}}));
    for (std::uint32_t author_of = 1; author_of <= 4; ++author_of)
      if (target->event.pubkey == author(author_of))
        return deletion(author_of, {{"e", target->event.id.hex()}}, at);
    return deletion(who, {{"e", target->event.id.hex()}}, at);
  }
  std::vector<std::uint32_t> maintainers() {
    if (pick(2) == 0) return {};
    return {1 + pick(4), 1 + pick(4)};
  }
  Rows expiry(core::UnixSeconds now) {
    if (pick(6) > 0) return {};
    return {{"expiration", std::to_string(now + 1 + pick(4000))}};
  }

  std::mt19937 random_;
  Events sent_;
};

using Contents = std::map<std::string, std::string>;

// Keys under which the two have something else.
std::set<std::string> differences(const Contents& a, const Contents& b) {
  std::set<std::string> keys;
  for (const auto* one : {&a, &b})
    for (const auto& [key, value] : *one) {
      const auto& other = one == &a ? b : a;
      const auto at = other.find(key);
      if (at == other.end() || at->second != value) keys.insert(key);
    }
  return keys;
}

const std::set<std::string> kNone;

// As a server begins: what is remembered of refusals is worth something under these rules only.
void begin(World& world) {
  world.restart();
  world.pass(1);
}

// One step of a history. Git data comes now and then, for all that wait.
void step(World& world, RandomHistory& history) {
  switch (history.pick(8)) {
    case 0:
      return world.pass(1 + history.pick(3) * 1'000);
    case 1:
      return world.release(world.known().purgatory().events());
    case 2:
      return world.send_in_vain(history.next(world.now));
    case 3:
      world.send_together({history.next(world.now), history.next(world.now)}, true);
      return;
    default:
      world.send(history.next(world.now), history.pick(3) == 0);
  }
}

TEST(PolicyFold, KnowsAfterEveryStepWhatARestartWouldFind) {  // R1 R2
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    World world;
    begin(world);
    RandomHistory history(seed);
    for (int i = 0; i < 120; ++i) {
      step(world, history);
      ASSERT_EQ(differences(world.contents(), world.contents_after_restart()), kNone)
          << "seed " << seed << ", step " << i;
    }
  }
}

TEST(PolicyFold, LeavesNoTraceOfABatchThatWasNotWritten) {  // R3
  for (std::uint32_t seed = 101; seed <= 130; ++seed) {
    World world;
    begin(world);
    RandomHistory history(seed);
    for (int i = 0; i < 120; ++i) {
      step(world, history);
      const auto before = world.contents();
      world.send_in_vain(history.next(world.now));
      ASSERT_EQ(differences(world.contents(), before), kNone) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace policy_fold_test
}  // namespace graspd::grasp
