#include "net/handshake.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace handshake_test {

http::Request handshake() {
  http::Request request;
  request.headers.add("Host", "x");
  request.headers.add("connection", "keep-alive, UPGRADE");
  request.headers.add("Upgrade", "WebSocket");
  request.headers.add("Sec-WebSocket-Version", "13");
  request.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  return request;
}

http::Request handshake_with(std::string_view name, std::string value) {
  http::Request request;
  const http::Request good = handshake();
  for (const auto& [old_name, old_value] : good.headers.fields())
    request.headers.add(old_name, old_name == name ? value : old_value);
  return request;
}

TEST(Handshake, IsAnUpgradeWhateverTheCaseAndTheCompany) {
  EXPECT_TRUE(is_upgrade(handshake()));
  EXPECT_FALSE(is_upgrade(handshake_with("connection", "keep-alive")));
  EXPECT_FALSE(is_upgrade(handshake_with("Upgrade", "h2c")));
  EXPECT_FALSE(is_upgrade(http::Request{}));
}

TEST(Handshake, IsRefusedNamingTheVersionWeSpeak) {
  EXPECT_FALSE(bad_handshake(handshake(), true));
  EXPECT_TRUE(bad_handshake(handshake(), false));
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"Sec-WebSocket-Version", "8"},
           {"Sec-WebSocket-Key", "short"},
           {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ!="}}) {
    const auto refusal = bad_handshake(handshake_with(name, value), true);
    ASSERT_TRUE(refusal) << name << value;
    EXPECT_EQ(refusal->status, 400);
    EXPECT_EQ(refusal->headers.get("Sec-WebSocket-Version"), "13");
  }
  http::Request post = handshake();
  post.method = http::Method::Post;
  EXPECT_TRUE(bad_handshake(post, true));
}

TEST(CloseFrame, HoldsTheCodeAndTheReason) {
  EXPECT_EQ(close_frame(CloseCode::Normal, ""), std::string("\x88\x02\x03\xE8"));
  EXPECT_EQ(close_frame(CloseCode::Policy, "no"), std::string("\x88\x04\x03\xF0no"));
}

TEST(CloseFrame, CutsALongReasonBetweenCharacters) {
  std::string reason(122, 'a');
  reason += "\xC3\xA4";  // two bytes, of which one would fit
  const std::string frame = close_frame(CloseCode::Policy, reason);
  EXPECT_EQ(frame.size(), 4u + 122u);
  EXPECT_EQ(static_cast<unsigned char>(frame[1]), 124u);
}

}  // namespace handshake_test
}  // namespace graspd::net
