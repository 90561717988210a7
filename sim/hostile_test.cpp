// Relays that mean no good: what one of them does costs it, and nobody else.
#include <gtest/gtest.h>

#include "sim/village.h"

namespace graspd::sim {
namespace {

const sync::PeerInformation kPlain{.supported_nips = std::vector<int>{1, 11}};

TEST(Hostile, RelaysThatTrickleDoNotStopTheHistoryOfOthers) {
  World world(1);
  std::vector<nostr::RelayUrl> relays;
  for (std::uint64_t i = 0; i < 12; ++i) relays.push_back(relay_url(50 + i));
  std::uint64_t number = 1;
  const auto thread = issue(number++, 1, kWorldBegins - 9000);
  for (std::size_t i = 0; i < relays.size(); ++i) {
    Habits habits{.negentropy = Negentropy::Absent, .information = kPlain};
    if (i < 8) habits.between_events = 25s;
    world.add_peer(relays[i], habits);
    world.publish(relays[i], thread);
    for (int n = 0; n < 400; ++n) {
      world.publish(relays[i], comment(number++, "e", thread.id.hex(), kWorldBegins - 5000 + n));
    }
  }
  const auto last = comment(number++, "q", thread.id.hex(), kWorldBegins - 4000);
  world.publish(relays.back(), last);
  world.accept(announcement(number++, 1, relays, kWorldBegins - 9900));
  world.start();
  EXPECT_TRUE(world.run_until([&] { return world.has(last); }, 10min));
}

TEST(Hostile, IdsThatNobodyHasAreNotAskedForWithoutEnd) {
  Village village({.invents = 300'000});
  World& world = village.world;
  world.start();
  EXPECT_TRUE(village.completes(30min));
  world.run(3h);
  EXPECT_LE(world.peer(kA).requests, 300u);
  EXPECT_LE(world.status(kA).ids_lost, 10'000u);
  EXPECT_TRUE(world.saved.at(kA).lessons.negentropy_refused_until.has_value());
  const auto news = village.say();
  world.run(1s);
  EXPECT_TRUE(world.has(news));
}

}  // namespace
}  // namespace graspd::sim
