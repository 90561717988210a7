#include "serve/sync/peer_bytes.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace peer_bytes_test {

using sync::Session;

TEST(PeerBytes, NamesThePeerThatHoldsMostWhenTheSumPassesTheLimit) {  // R1
  PeerBytes bytes(100);
  bytes.hold(Session{1}, 30);
  bytes.hold(Session{2}, 60);
  EXPECT_EQ(bytes.to_drop(), std::nullopt);
  bytes.hold(Session{3}, 20);
  EXPECT_EQ(bytes.to_drop(), Session{2});
  bytes.hold(Session{2}, 0);
  EXPECT_EQ(bytes.to_drop(), std::nullopt);
  EXPECT_EQ(bytes.total(), 50U);
}

TEST(PeerBytes, CountsOnlyWhatAPeerHoldsNow) {
  PeerBytes bytes(100);
  for (const std::size_t held : {10, 90, 20}) bytes.hold(Session{1}, held);
  EXPECT_EQ(bytes.held_by(Session{1}), 20U);
  EXPECT_EQ(bytes.total(), 20U);
}

TEST(PeerBytes, IsTightFromHalfOfTheLimit) {  // R2
  PeerBytes bytes(100);
  bytes.hold(Session{1}, 50);
  EXPECT_FALSE(bytes.is_tight());
  bytes.hold(Session{1}, 51);
  EXPECT_TRUE(bytes.is_tight());
}

TEST(PeerBytes, LimitsNothingWithALimitOfZero) {
  PeerBytes bytes(0);
  bytes.hold(Session{1}, std::size_t{1} << 40);
  EXPECT_EQ(bytes.to_drop(), std::nullopt);
  EXPECT_FALSE(bytes.is_tight());
}

}  // namespace peer_bytes_test
}  // namespace graspd::serve
