#include "serve/client_ledger.h"

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
  ClientLedger ledger({.connections_per_address = 0, .events_per_minute_per_address = 0});
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(ledger.enter(kAlice, kStart));
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(ledger.take_event(kAlice, kStart));
}

}  // namespace client_ledger_test
}  // namespace graspd::serve
