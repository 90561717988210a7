#include "net/request_parser.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace {

using State = RequestParser::State;
constexpr RequestParser::Limits kLimits{256, 16};

TEST(RequestParser, ReadsARequestThatComesByteByByte) {
  const std::string text = "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
  RequestParser parser(kLimits);
  std::string unread;
  for (const char byte : text) {
    EXPECT_NE(parser.state(), State::Done);
    unread += byte;
    unread.erase(0, parser.put(unread));
  }
  ASSERT_EQ(parser.state(), State::Done);
  EXPECT_TRUE(parser.keep_alive());
  const http::Request request = parser.take_request();
  EXPECT_EQ(request.method, http::Method::Post);
  EXPECT_EQ(request.target, "/a?b=c");
  EXPECT_EQ(request.headers.get("host"), "x");
  EXPECT_EQ(request.body, "abc");
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
  const std::string one = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n";
  RequestParser parser(kLimits);
  EXPECT_EQ(parser.put(one + "GET /2 HTTP/1.1\r\n"), one.size());
  ASSERT_EQ(parser.state(), State::Done);
  EXPECT_EQ(parser.take_request().target, "/1");
}

TEST(RequestParser, ReadsAChunkedBody) {
  RequestParser parser(kLimits);
  parser.put(
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  ASSERT_EQ(parser.state(), State::Done);
  EXPECT_EQ(parser.take_request().body, "abcde");
}

TEST(RequestParser, KnowsWhoWantsToCloseAndWhoSpeaks10) {
  RequestParser closing(kLimits), old(kLimits);
  closing.put("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(closing.keep_alive());
  EXPECT_TRUE(closing.is_http_1_1());
  old.put("GET / HTTP/1.0\r\n\r\n");
  EXPECT_FALSE(old.keep_alive());
  EXPECT_FALSE(old.is_http_1_1());
}

TEST(RequestParser, SeesThatThePeerWaitsForAContinue) {
  RequestParser parser(kLimits);
  parser.put("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(parser.state(), State::Body);
  EXPECT_TRUE(parser.expects_continue());
}

std::uint16_t refusal(std::string_view text) {
  RequestParser parser(kLimits);
  parser.put(text);
  return parser.state() == State::Refused ? parser.refusal() : 0;
}

TEST(RequestParser, RefusesWhatIsTooBig) {  // R1
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nA: " + std::string(300, 'a')), 431);
  EXPECT_EQ(refusal("GET /" + std::string(300, 'a')), 431);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nContent-Length: 17\r\n\r\n"), 413);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), 413);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n"), 413);
}

TEST(RequestParser, RefusesWhatIsNotHttp) {  // R2
  EXPECT_EQ(refusal("\x16\x03\x01\x02"), 400);
  EXPECT_EQ(refusal("GET / HTTP/9.9\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET /\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), 400);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400);
}

}  // namespace
}  // namespace graspd::net
