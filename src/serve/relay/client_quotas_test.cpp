#include "serve/relay/client_quotas.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace client_ledger_test {

using namespace std::chrono_literals;

const core::IpAddress kAlice = *core::IpAddress::parse("192.0.2.1");
const core::IpAddress kBob = *core::IpAddress::parse("192.0.2.2");
constexpr core::Instant kStart{};

TEST(ClientLedger, LimitsConnectionsPerAddress) {
  ClientLedger ledger({.connections_per_address = 1});
  EXPECT_TRUE(ledger.enter(kAlice, kStart));
  EXPECT_TRUE(ledger.is_full(kAlice));
  EXPECT_FALSE(ledger.enter(kAlice, kStart));
  EXPECT_TRUE(ledger.enter(kBob, kStart));
  ledger.leave(kAlice, kStart);
  EXPECT_TRUE(ledger.enter(kAlice, kStart));
}

TEST(ClientLedger, SharesTheEventRateAmongTheConnectionsOfAnAddress) {
  ClientLedger ledger({.events_per_minute_per_address = 2});
  ASSERT_TRUE(ledger.enter(kAlice, kStart) && ledger.enter(kAlice, kStart));
  EXPECT_TRUE(ledger.take_event(kAlice, kStart));
  EXPECT_TRUE(ledger.take_event(kAlice, kStart));
  EXPECT_FALSE(ledger.take_event(kAlice, kStart));
  EXPECT_TRUE(ledger.take_event(kAlice, kStart + 30s));
}

TEST(ClientLedger, RemembersAnAddressThatHangsUpToRefillItsBucket) {  // R1
  ClientLedger ledger({.events_per_minute_per_address = 1});
  ASSERT_TRUE(ledger.enter(kAlice, kStart));
  ASSERT_TRUE(ledger.take_event(kAlice, kStart));
  ledger.leave(kAlice, kStart);
  ASSERT_TRUE(ledger.enter(kAlice, kStart + 1s));
  EXPECT_FALSE(ledger.take_event(kAlice, kStart + 1s));
  ledger.leave(kAlice, kStart + 1s);
  ASSERT_TRUE(ledger.enter(kAlice, kStart + 62s));
  EXPECT_TRUE(ledger.take_event(kAlice, kStart + 62s));
}

TEST(ClientLedger, CountsWhoIsHereAndWhoIsManyTimes) {
  ClientLedger ledger({.abuse_threshold = 1});
  ASSERT_TRUE(ledger.enter(kAlice, kStart) && ledger.enter(kAlice, kStart));
  ASSERT_TRUE(ledger.enter(kBob, kStart));
  EXPECT_EQ(ledger.addresses(), 2u);
  EXPECT_EQ(ledger.suspicious_addresses(), 1u);
  ledger.leave(kBob, kStart);
  EXPECT_EQ(ledger.addresses(), 1u);
}

TEST(ClientLedger, HasNoLimitsWhenTheyAreZero) {
  ClientLedger ledger({.connections_per_address = 0,
                       .events_per_minute_per_address = 0,
                       .held_bytes_per_address = 0,
                       .held_bytes = 0});
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(ledger.enter(kAlice, kStart));
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(ledger.take_event(kAlice, kStart));
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(ledger.enter_plain(kAlice));
  ledger.hold(kAlice, 0, 1'000'000);
  EXPECT_GT(ledger.room(kAlice), 1'000'000'000'000u);
}

TEST(ClientLedger, TakesTheAddressesOfOneCustomerForOneClient) {  // R2
  ClientLedger ledger({.connections_per_address = 1, .events_per_minute_per_address = 1});
  const auto address = [](const char* text) { return *core::IpAddress::parse(text); };
  ASSERT_TRUE(ledger.enter(address("2001:db8:1:2::1"), kStart));
  EXPECT_TRUE(ledger.is_full(address("2001:db8:1:2:ffff::2")));
  EXPECT_FALSE(ledger.enter(address("2001:db8:1:2:ffff::2"), kStart));
  EXPECT_TRUE(ledger.enter(address("2001:db8:1:3::1"), kStart));
  EXPECT_TRUE(ledger.take_event(address("2001:db8:1:2::1"), kStart));
  EXPECT_FALSE(ledger.take_event(address("2001:db8:1:2::2"), kStart));
  EXPECT_EQ(ledger.addresses(), 2u);
  ledger.leave(address("2001:db8:1:2::3"), kStart);
  EXPECT_EQ(ledger.addresses(), 1u);
}

TEST(ClientLedger, CountsPlainConnectionsApart) {  // R3
  ClientLedger ledger({.connections_per_address = 100});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(ledger.enter_plain(kAlice));
  EXPECT_FALSE(ledger.enter_plain(kAlice));
  EXPECT_TRUE(ledger.enter_plain(kBob));
  EXPECT_EQ(ledger.addresses(), 0u);
  EXPECT_TRUE(ledger.enter(kAlice, kStart));
  ledger.leave_plain(kAlice);
  EXPECT_TRUE(ledger.enter_plain(kAlice));
  EXPECT_FALSE(ledger.enter_plain(kAlice));
}

TEST(ClientLedger, LetsEverybodyHaveSomePlainConnections) {  // R3
  ClientLedger ledger({.connections_per_address = 1});
  for (std::size_t i = 0; i < ClientLedger::kPlainMin; ++i) ASSERT_TRUE(ledger.enter_plain(kAlice));
  EXPECT_FALSE(ledger.enter_plain(kAlice));
}

TEST(ClientLedger, RemembersABucketWhilePlainConnectionsComeAndGo) {  // R1
  ClientLedger ledger({.events_per_minute_per_address = 1});
  ASSERT_TRUE(ledger.enter(kAlice, kStart) && ledger.take_event(kAlice, kStart));
  ledger.leave(kAlice, kStart);
  ASSERT_TRUE(ledger.enter_plain(kAlice));
  ledger.leave_plain(kAlice);
  ASSERT_TRUE(ledger.enter(kAlice, kStart + 1s));
  EXPECT_FALSE(ledger.take_event(kAlice, kStart + 1s));
}

TEST(ClientLedger, BoundsWhatOneAddressAndAllMayHold) {  // R4
  ClientLedger ledger({.held_bytes_per_address = 100, .held_bytes = 150});
  ASSERT_TRUE(ledger.enter(kAlice, kStart) && ledger.enter(kBob, kStart));
  EXPECT_EQ(ledger.room(kAlice), 100u);
  ledger.hold(kAlice, 0, 70);
  EXPECT_EQ(ledger.room(kAlice), 30u);
  EXPECT_EQ(ledger.room(kBob), 80u);
  ledger.hold(kAlice, 70, 170);
  EXPECT_EQ(ledger.room(kAlice), 0u);
  EXPECT_EQ(ledger.room(kBob), 0u);
  ledger.hold(kAlice, 170, 0);
  EXPECT_EQ(ledger.room(kBob), 100u);
}

}  // namespace client_ledger_test
}  // namespace graspd::serve
