#include "sync/relay_directory.h"

#include <gtest/gtest.h>

namespace graspd::sync {
namespace relay_directory_test {

using namespace std::chrono_literals;

const nostr::RelayUrl kUrl = *nostr::RelayUrl::parse("wss://a.example");
const core::Now kNow{core::Instant(1h), 1'800'000'000};

TEST(RelayDirectory, FindsARelayByItsNumberAndByItsAddress) {
  RelayDirectory relays;
  const Relay& relay = relays.add(kNow, kUrl, Reason::Bootstrap);
  EXPECT_EQ(relays.find(relay.memory.id), &relay);
  EXPECT_EQ(relays.find(kUrl), &relay);
  EXPECT_TRUE(relay.memory.bootstrap);
  relays.check_invariants();
}

TEST(RelayDirectory, GivesARelayThatComesBackAnotherNumber) {  // R1
  RelayDirectory relays;
  const RelayId first = relays.add(kNow, kUrl, Reason::Repository).memory.id;
  relays.remove(kNow, first);
  EXPECT_EQ(relays.find(kUrl), nullptr);
  EXPECT_NE(relays.add(kNow, kUrl, Reason::Repository).memory.id, first);
  EXPECT_EQ(relays.find(first), nullptr);
}

TEST(RelayDirectory, KeepsHowARelayFaredIfItFailed) {  // R2
  RelayDirectory relays;
  Relay& relay = relays.add(kNow, kUrl, Reason::Repository);
  relay.memory.health.dial_failed({}, kNow, "refused");
  EXPECT_TRUE(relays.remove(kNow, relay.memory.id));
  const Relay& again = relays.add(kNow, kUrl, Reason::Repository);
  EXPECT_EQ(again.memory.health.failures(), 1U);
}

TEST(RelayDirectory, KeepsNothingOfARelayWithoutFailures) {  // R2
  RelayDirectory relays;
  const RelayId id = relays.add(kNow, kUrl, Reason::Repository).memory.id;
  EXPECT_FALSE(relays.remove(kNow, id));
}

TEST(RelayDirectory, GivesARelayWhatAnEarlierRunKnewOfIt) {
  RelayDirectory relays;
  Health health;
  health.dial_failed({}, kNow, "refused");
  relays.restore({.url = kUrl, .health = health.record(kNow), .lessons = {}, .lost = {}});
  EXPECT_EQ(relays.add(kNow, kUrl, Reason::Repository).memory.health.failures(), 1U);
}

}  // namespace relay_directory_test
}  // namespace graspd::sync
