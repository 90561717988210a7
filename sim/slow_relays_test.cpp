// Relays that are slow to answer, or allow few requests: history in few, full requests (sync.md
// §6).
#include <gtest/gtest.h>
#include <iostream>

#include "sim/village.h"

namespace graspd::sim {
namespace {

constexpr std::uint64_t kRepos = 5, kThreadsEach = 20, kCommentsEach = 3;

// Five repositories with twenty threads each, all on relay A; the announcements are known here.
void found_town(World& world, Habits habits) {
  world.add_peer(kA, std::move(habits));
  std::uint64_t number = 1000;
  for (std::uint64_t repo = 1; repo <= kRepos; ++repo) {
    const auto announced = announcement(
        repo, repo, {kA}, kWorldBegins - 900'000 + static_cast<core::UnixSeconds>(3600 * repo));
    world.publish(kA, announced);
    world.accept(announced);
    for (std::uint64_t thread = 0; thread < kThreadsEach; ++thread) {
      const auto at = kWorldBegins - 500'000 + static_cast<core::UnixSeconds>(number);
      const auto root = issue(number++, repo, at);
      world.publish(kA, root);
      for (std::uint64_t i = 0; i < kCommentsEach; ++i, ++number) {
        world.publish(
            kA, comment(number, "E", root.id.hex(), at + static_cast<core::UnixSeconds>(60 + i)));
      }
    }
  }
}

struct Measured {
  core::Duration here, settled;
  std::size_t requests_here, requests;
};

std::ostream& operator<<(std::ostream& out, const Measured& m) {
  return out << "here " << m.here.count() / 1000 << " s with " << m.requests_here
             << " requests, settled " << m.settled.count() / 1000 << " s with " << m.requests;
}

Measured measure(Habits habits) {
  World world(1);
  found_town(world, std::move(habits));
  world.start();
  const core::Instant begun = world.now().instant;
  Measured out{};
  const auto until = [&](const std::function<bool()>& holds) {
    while (!holds() && world.now().instant - begun < 1h) world.run(1s);
  };
  until([&] { return world.is_complete(); });
  out.here = world.now().instant - begun;
  out.requests_here = world.peer(kA).requests;
  until([&] { return world.engine().is_settled(world.now()); });
  out.settled = world.now().instant - begun;
  out.requests = world.peer(kA).requests;
  std::cout << out << '\n';  // for bench/README.md
  return out;
}

TEST(SlowRelay, ThatNeedsHalfAMinuteForAnAnswerIsReadInThreeRounds) {
  const Measured m = measure({.negentropy = Negentropy::Absent, .first_frame = 35s});
  EXPECT_LE(m.here, 100s) << m;
  EXPECT_LE(m.settled, 130s) << m;
}

TEST(SlowRelay, ThatAllowsSixRequestsAMinuteIsAskedFewFullQuestions) {
  const Measured m = measure({.negentropy = Negentropy::Absent, .requests_per_minute = 6});
  EXPECT_LE(m.here, 150s) << m;
}

}  // namespace
}  // namespace graspd::sim
