#include "nostr/event.h"

#include <gtest/gtest.h>

namespace graspd::nostr {
namespace event_test {

Event with(Tags tags) {
  Event event;
  event.tags = std::move(tags);
  return event;
}

TEST(Event, IsIdentifiedByItsFirstDTag) {
  EXPECT_EQ(identifier(with({{"t", "x"}, {"d", "repo"}, {"d", "other"}})), "repo");
  EXPECT_EQ(identifier(with({{"d"}})), "");
  EXPECT_EQ(identifier(with({})), "");
}

TEST(Event, ExpiresFromItsTimeOn) {
  const Event event = with({{"expiration", "1600"}});
  EXPECT_EQ(expiration(event), 1600);
  EXPECT_FALSE(is_expired(event, 1599));
  EXPECT_TRUE(is_expired(event, 1600));
}

TEST(Event, WithoutExpirationNeverExpires) {
  EXPECT_EQ(expiration(with({{"t", "1600"}})), std::nullopt);
  EXPECT_FALSE(is_expired(with({}), 1LL << 60));
}

TEST(Event, IgnoresMalformedExpirations) {
  for (const auto* text : {"", "soon", "16.5", "1600 ", " 1600", "+1600", "-1", "0x10", "1e9",
                           "99999999999999999999"}) {
    EXPECT_EQ(expiration(with({{"expiration", text}})), std::nullopt) << text;
  }
  EXPECT_EQ(expiration(with({{"expiration"}, {"expiration", "x"}, {"expiration", "7"}})), 7);
}

TEST(Event, IsProtectedByADash) {
  EXPECT_TRUE(is_protected(with({{"t", "x"}, {"-"}})));
  EXPECT_FALSE(is_protected(with({{"t", "-"}})));
}

}  // namespace event_test
}  // namespace graspd::nostr
