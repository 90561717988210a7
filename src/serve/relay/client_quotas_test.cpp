#include "serve/relay/client_quotas.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace client_quotas_test {

using namespace std::chrono_literals;

const core::IpAddress kAlice = *core::IpAddress::parse("192.0.2.1");
const core::IpAddress kBob = *core::IpAddress::parse("192.0.2.2");
constexpr core::Instant kStart{};

TEST(ClientQuotas, LimitsConnectionsPerAddress) {
  ClientQuotas quotas({.connections_per_address = 1});
  EXPECT_TRUE(quotas.enter(kAlice, kStart));
  EXPECT_TRUE(quotas.is_full(kAlice));
  EXPECT_FALSE(quotas.enter(kAlice, kStart));
  EXPECT_TRUE(quotas.enter(kBob, kStart));
  quotas.leave(kAlice, kStart);
  EXPECT_TRUE(quotas.enter(kAlice, kStart));
}

TEST(ClientQuotas, SharesTheEventRateAmongTheConnectionsOfAnAddress) {
  ClientQuotas quotas({.events_per_minute_per_address = 2});
  ASSERT_TRUE(quotas.enter(kAlice, kStart) && quotas.enter(kAlice, kStart));
  EXPECT_TRUE(quotas.take_event(kAlice, kStart));
  EXPECT_TRUE(quotas.take_event(kAlice, kStart));
  EXPECT_FALSE(quotas.take_event(kAlice, kStart));
  EXPECT_TRUE(quotas.take_event(kAlice, kStart + 30s));
}

TEST(ClientQuotas, RemembersAnAddressThatHangsUpToRefillItsBucket) {  // R1
  ClientQuotas quotas({.events_per_minute_per_address = 1});
  ASSERT_TRUE(quotas.enter(kAlice, kStart));
  ASSERT_TRUE(quotas.take_event(kAlice, kStart));
  quotas.leave(kAlice, kStart);
  ASSERT_TRUE(quotas.enter(kAlice, kStart + 1s));
  EXPECT_FALSE(quotas.take_event(kAlice, kStart + 1s));
  quotas.leave(kAlice, kStart + 1s);
  ASSERT_TRUE(quotas.enter(kAlice, kStart + 62s));
  EXPECT_TRUE(quotas.take_event(kAlice, kStart + 62s));
}

TEST(ClientQuotas, CountsWhoIsHereAndWhoIsManyTimes) {
  ClientQuotas quotas({.abuse_threshold = 1});
  ASSERT_TRUE(quotas.enter(kAlice, kStart) && quotas.enter(kAlice, kStart));
  ASSERT_TRUE(quotas.enter(kBob, kStart));
  EXPECT_EQ(quotas.addresses(), 2u);
  EXPECT_EQ(quotas.suspicious_addresses(), 1u);
  quotas.leave(kBob, kStart);
  EXPECT_EQ(quotas.addresses(), 1u);
}

TEST(ClientQuotas, HasNoLimitsWhenTheyAreZero) {
  ClientQuotas quotas({.connections_per_address = 0,
                       .events_per_minute_per_address = 0,
                       .held_bytes_per_address = 0,
                       .held_bytes = 0});
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(quotas.enter(kAlice, kStart));
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(quotas.take_event(kAlice, kStart));
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(quotas.enter_plain(kAlice));
  quotas.hold(kAlice, 0, 1'000'000);
  EXPECT_GT(quotas.space(kAlice), 1'000'000'000'000u);
}

TEST(ClientQuotas, TakesTheAddressesOfOneCustomerForOneClient) {  // R2
  ClientQuotas quotas({.connections_per_address = 1, .events_per_minute_per_address = 1});
  const auto address = [](const char* text) { return *core::IpAddress::parse(text); };
  ASSERT_TRUE(quotas.enter(address("2001:db8:1:2::1"), kStart));
  EXPECT_TRUE(quotas.is_full(address("2001:db8:1:2:ffff::2")));
  EXPECT_FALSE(quotas.enter(address("2001:db8:1:2:ffff::2"), kStart));
  EXPECT_TRUE(quotas.enter(address("2001:db8:1:3::1"), kStart));
  EXPECT_TRUE(quotas.take_event(address("2001:db8:1:2::1"), kStart));
  EXPECT_FALSE(quotas.take_event(address("2001:db8:1:2::2"), kStart));
  EXPECT_EQ(quotas.addresses(), 2u);
  quotas.leave(address("2001:db8:1:2::3"), kStart);
  EXPECT_EQ(quotas.addresses(), 1u);
}

TEST(ClientQuotas, CountsPlainConnectionsApart) {  // R3
  ClientQuotas quotas({.connections_per_address = 100});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(quotas.enter_plain(kAlice));
  EXPECT_FALSE(quotas.enter_plain(kAlice));
  EXPECT_TRUE(quotas.enter_plain(kBob));
  EXPECT_EQ(quotas.addresses(), 0u);
  EXPECT_TRUE(quotas.enter(kAlice, kStart));
  quotas.leave_plain(kAlice);
  EXPECT_TRUE(quotas.enter_plain(kAlice));
  EXPECT_FALSE(quotas.enter_plain(kAlice));
}

TEST(ClientQuotas, LetsEverybodyHaveSomePlainConnections) {  // R3
  ClientQuotas quotas({.connections_per_address = 1});
  for (std::size_t i = 0; i < ClientQuotas::kPlainMin; ++i) ASSERT_TRUE(quotas.enter_plain(kAlice));
  EXPECT_FALSE(quotas.enter_plain(kAlice));
}

TEST(ClientQuotas, RemembersABucketWhilePlainConnectionsComeAndGo) {  // R1
  ClientQuotas quotas({.events_per_minute_per_address = 1});
  ASSERT_TRUE(quotas.enter(kAlice, kStart) && quotas.take_event(kAlice, kStart));
  quotas.leave(kAlice, kStart);
  ASSERT_TRUE(quotas.enter_plain(kAlice));
  quotas.leave_plain(kAlice);
  ASSERT_TRUE(quotas.enter(kAlice, kStart + 1s));
  EXPECT_FALSE(quotas.take_event(kAlice, kStart + 1s));
}

TEST(ClientQuotas, BoundsWhatOneAddressAndAllMayHold) {  // R4
  ClientQuotas quotas({.held_bytes_per_address = 100, .held_bytes = 150});
  ASSERT_TRUE(quotas.enter(kAlice, kStart) && quotas.enter(kBob, kStart));
  EXPECT_EQ(quotas.space(kAlice), 100u);
  quotas.hold(kAlice, 0, 70);
  EXPECT_EQ(quotas.space(kAlice), 30u);
  EXPECT_EQ(quotas.space(kBob), 80u);
  quotas.hold(kAlice, 70, 170);
  EXPECT_EQ(quotas.space(kAlice), 0u);
  EXPECT_EQ(quotas.space(kBob), 0u);
  quotas.hold(kAlice, 170, 0);
  EXPECT_EQ(quotas.space(kBob), 100u);
}

}  // namespace client_quotas_test
}  // namespace graspd::serve
