#include "net/dialer_http.h"

#include <gtest/gtest.h>
#include <thread>

#include "net/dialer_testing.h"
#include "net/echo_server_testing.h"

namespace graspd::net {
namespace dialer_http_test {

using Answer = core::Result<http::Response, DialError>;

HttpGetOptions get_options() {
  HttpGetOptions options;
  options.allow_private_addresses = true;
  options.headers.add("Accept", "application/nostr+json");
  return options;
}

Answer get(const DialTarget& target, const HttpGetOptions& options = get_options()) {
  return finished(make_dialer({})->http_get(target, options));
}

// What comes of this answer, and what was asked.
Answer get_raw(const std::string& answer, std::string* asked = nullptr) {
  RawListener listener;
  std::thread peer([&] {
    const core::FileDescriptor client = listener.accept();
    const std::string request = RawListener::read_until(client.get(), "\r\n\r\n");
    if (asked) *asked = request;
    RawListener::send(client.get(), answer);
  });
  auto response = get(on_this_machine(listener.port(), "/x?y"));
  peer.join();
  return response;
}

TEST(HttpGet, ReturnsTheAnswerWhateverItsStatus) {
  EchoServer server;
  const auto found = get(on_this_machine(server.port(), "/a?b"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, 200);
  EXPECT_EQ(found->body, "/a?b|");
  EXPECT_EQ(found->headers.get("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(get(on_this_machine(server.port(), "/missing"))->status, 404);
}

TEST(HttpGet, AsksWithItsHeaders) {
  std::string asked;
  EXPECT_EQ(get_raw("HTTP/1.1 200 OK\r\n\r\nuntil the end", &asked)->body, "until the end");
  EXPECT_TRUE(asked.starts_with("GET /x?y HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_NE(asked.find("\r\nAccept: application/nostr+json\r\n"), std::string::npos);
}

TEST(HttpPost, SendsItsBody) {
  EchoServer server;
  const DialTarget target = on_this_machine(server.port(), "/a");
  const auto answer = finished(make_dialer({})->http_post(target, "b and\nc", get_options()));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "/a|b and\nc");
  EXPECT_EQ(finished(make_dialer({})->http_post(target, "", get_options()))->body, "/a|");
}

TEST(HttpGet, ReadsChunks) {
  EXPECT_EQ(get_raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                ->body,
            "abcde");
}

TEST(HttpGet, DoesNotFollowARedirect) {  // R4 of net/dialer.h
  const auto moved = get_raw(
      "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->status, 302);
}

TEST(HttpGet, BoundsWhatItReads) {
  EchoServer server;
  HttpGetOptions options = get_options();
  options.body_bytes_max = 4;
  EXPECT_FALSE(get(on_this_machine(server.port(), "/longer"), options));
  EXPECT_FALSE(get_raw("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"));
}

TEST(HttpGet, FailsOnWhatIsNoAnswer) {
  EXPECT_FALSE(get_raw(""));
  EXPECT_FALSE(get_raw("+OK POP3\r\n"));
  const auto partial = get_raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  ASSERT_FALSE(partial);
  EXPECT_EQ(partial.error().kind, DialFailure::Failed);
}

TEST(HttpGet, GuardsAddressesAndTime) {  // R1, R3 of net/dialer.h
  RawListener mute;
  HttpGetOptions options = get_options();
  options.timeout = core::Duration(50);
  EXPECT_EQ(get(on_this_machine(mute.port()), options).error().kind, DialFailure::TimedOut);
  options.allow_private_addresses = false;
  EXPECT_EQ(get(on_this_machine(mute.port()), options).error().kind, DialFailure::Forbidden);
}

}  // namespace dialer_http_test
}  // namespace graspd::net
