// Relays that mean no good: what one of them does costs it, and nobody else.
#include <algorithm>
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

std::vector<nostr::RelayUrl> relays_named(const std::string& name, int first, int count) {
  std::vector<nostr::RelayUrl> out;
  for (int i = first; i < first + count; ++i) out.push_back(url(name + std::to_string(i)));
  return out;
}

// Repositories whose number leaves the same rest by five have one owner.
constexpr std::uint64_t kAttacker = 0, kHonest = 1;

TEST(Scenario31, TenRepositoriesOfOneKeyDoNotTakeThePlacesOfOthers) {
  World world(1);
  std::uint64_t number = 1;
  for (int i = 0; i < 10; ++i) {
    const auto relays = relays_named("wss://no", 100 * i, 100);
    std::vector<nostr::RelayUrl> hosts;
    for (const auto& relay : relays) hosts.push_back(url(relay.text() + ".example"));
    world.accept(announcement(number++, kAttacker + 5 * static_cast<std::uint64_t>(i), hosts,
                              kWorldBegins - 9000));
  }
  world.start();
  world.run(10min);
  const auto attacked = world.engine().status(world.now());
  EXPECT_EQ(attacked.relays.size(), 50u);
  EXPECT_EQ(attacked.waiting.for_owner, 950u);
  std::vector<nostr::Event> threads;
  for (const auto& relay : {kA, kB, kC}) {
    world.add_peer(relay);
    threads.push_back(issue(number++, kHonest, kWorldBegins - 5000));
    world.publish(relay, threads.back());
  }
  world.accept(announcement(number++, kHonest, {kA, kB, kC}, world.unix_now()));
  EXPECT_TRUE(world.run_until(
      [&] {
        return std::all_of(threads.begin(), threads.end(),
                           [&](const auto& one) { return world.has(one); });
      },
      5min));
}

TEST(Scenario32, OneHostDoesNotTakeHundredsOfConnections) {
  World world(1);
  std::uint64_t number = 1;
  for (std::uint64_t repo = 0; repo < 3; ++repo) {  // of three owners
    const auto ports = relays_named("wss://host.example:", 1000 + static_cast<int>(repo) * 83, 83);
    for (const auto& relay : ports) world.add_peer(relay);
    world.accept(announcement(number++, repo, ports, kWorldBegins - 9000));
  }
  const auto thread = issue(number++, 1, kWorldBegins - 5000);
  world.add_peer(kA);
  world.publish(kA, thread);
  world.accept(announcement(number++, 6, {kA}, kWorldBegins - 8000));
  world.start();
  world.run(10min);
  const auto status = world.engine().status(world.now());
  EXPECT_EQ(status.relays.size(), 9u);
  EXPECT_EQ(status.waiting.for_host, 241u);
  EXPECT_TRUE(world.is_tracked(kA));
}

TEST(Hostile, AFreePlaceGoesToWhoeverWaitedAndHasTheNextTurn) {
  World world(1, {.places = {.all = 4}});
  std::uint64_t number = 1;
  const auto crowd = relays_named("wss://crowd", 0, 40);
  std::vector<nostr::RelayUrl> hosts;
  for (const auto& relay : crowd) hosts.push_back(url(relay.text() + ".example"));
  world.accept(announcement(number++, kAttacker, hosts, kWorldBegins - 9000));
  world.start();
  world.run(1min);
  world.add_peer(kA);
  const auto thread = issue(number++, kHonest, kWorldBegins - 5000);
  world.publish(kA, thread);
  world.accept(announcement(number++, kHonest, {kA}, world.unix_now()));
  world.run(1min);
  EXPECT_FALSE(world.is_tracked(kA));
  hosts.erase(hosts.begin(), hosts.begin() + 8);  // some of them were followed
  world.accept(announcement(number++, kAttacker, hosts, world.unix_now()));
  EXPECT_TRUE(world.run_until([&] { return world.has(thread); }, 20min));
}

TEST(Scenario33, ARelayThatIsHeldBackIsNotTakenForASilentOne) {
  for (const auto way : {Negentropy::Works, Negentropy::Absent}) {
    Village village({.cap = 500, .negentropy = way}, {}, 700);
    World& world = village.world;
    world.start();
    std::vector<nostr::Event> news;
    for (int i = 0; i < 6; ++i) {  // in every phase of its history, and when that has ended
      world.run(500ms);
      world.hold_back(kA, 4min);
      world.run(2min);
      news.push_back(village.say());
      EXPECT_EQ(world.status(kA).link, sync::LinkState::Syncing);
      world.run(2min);
    }
    EXPECT_TRUE(village.completes(5min));
    for (const auto& event : news) EXPECT_TRUE(world.has(event));
    const auto status = world.status(kA);
    EXPECT_EQ(status.meter.timeouts, 0u);
    EXPECT_EQ(status.meter.dials_succeeded, 1u);
    EXPECT_EQ(status.meter.ids_lost, 0u);
    EXPECT_EQ(status.failures, 0u);
    EXPECT_EQ(status.negentropy_refused_until.has_value(), way == Negentropy::Absent);
  }
}

}  // namespace
}  // namespace graspd::sim
