#include "net/request_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace graspd::net {
namespace request_parser_test {

using State = RequestParser::State;
constexpr std::size_t kHeaderBytesMax = 256;

RequestHead parsed(std::string_view text) {
  RequestParser parser(kHeaderBytesMax);
  parser.put(text);
  EXPECT_EQ(parser.state(), State::Done) << text;
  return parser.take();
}

TEST(RequestParser, ReadsAHeadThatComesByteByByte) {
  const std::string text = "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n";
  RequestParser parser(kHeaderBytesMax);
  std::string unread;
  for (const char byte : text) {
    EXPECT_NE(parser.state(), State::Done);
    unread += byte;
    unread.erase(0, parser.put(unread));
  }
  ASSERT_EQ(parser.state(), State::Done);
  const RequestHead head = parser.take();
  EXPECT_TRUE(head.keep_alive);
  EXPECT_EQ(head.request.method, http::Method::Post);
  EXPECT_EQ(head.request.target, "/a?b=c");
  EXPECT_EQ(head.request.headers.get("host"), "x");
  EXPECT_EQ(head.framing.left(), 3u);
}

TEST(RequestParser, LeavesBodyAndNextRequestAlone) {
  for (const std::string one :
       {"GET /1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n\r\n",
        "POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    RequestParser parser(kHeaderBytesMax);
    EXPECT_EQ(parser.put(one + "GET /2 HTTP/1.1\r\nHost: x\r\n"), one.size());
    EXPECT_EQ(parser.put("GET /2 HTTP/1.1\r\nHost: x\r\n"), 0u);
    ASSERT_EQ(parser.state(), State::Done);
    EXPECT_EQ(parser.take().request.target, "/1");
  }
}

TEST(RequestParser, TakesThePathOfAWholeUrl) {  // R4
  const auto target = [](const std::string& text) {
    return parsed("GET " + text + " HTTP/1.1\r\nHost: x\r\n\r\n").request.target;
  };
  EXPECT_EQ(target("http://x:80/a?b=c"), "/a?b=c");
  EXPECT_EQ(target("HTTPS://x/a//b"), "/a//b");
  EXPECT_EQ(target("http://x"), "/");
  EXPECT_EQ(target("http://x?b=/c"), "/?b=/c");
  EXPECT_EQ(target("/http://x/a"), "/http://x/a");
}

TEST(RequestParser, TellsHowTheBodyIsFramed) {
  EXPECT_TRUE(parsed("GET / HTTP/1.1\r\nHost: x\r\n\r\n").framing.ended());
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").framing.ended());
  EXPECT_EQ(
      parsed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n").framing.left(),
      99'999'999'999u);
  const auto chunked =
      parsed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n").framing;
  EXPECT_FALSE(chunked.ended());
  EXPECT_EQ(chunked.left(), std::nullopt);
}

TEST(RequestParser, KnowsWhoWantsToCloseAndWhoSpeaks10) {
  const RequestHead closing = parsed("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(closing.keep_alive);
  EXPECT_TRUE(closing.is_http_1_1);
  const RequestHead old = parsed("GET / HTTP/1.0\r\n\r\n");
  EXPECT_FALSE(old.keep_alive);
  EXPECT_FALSE(old.is_http_1_1);
}

TEST(RequestParser, SeesThatThePeerWaitsForAContinue) {
  const std::string rest = "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n";
  EXPECT_TRUE(parsed("POST / HTTP/1.1\r\nHost: x\r\n" + rest).expects_continue);
  EXPECT_FALSE(parsed("POST / HTTP/1.0\r\n" + rest).expects_continue);
}

std::uint16_t refusal(std::string_view text) {
  RequestParser parser(kHeaderBytesMax);
  parser.put(text);
  return parser.state() == State::Refused ? parser.refusal() : 0;
}

TEST(RequestParser, RefusesWhatIsTooBig) {  // R1
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(300, 'a')), 431);
  EXPECT_EQ(refusal("GET /" + std::string(300, 'a')), 431);
}

TEST(RequestParser, RefusesWhatIsNotHttp) {  // R2
  EXPECT_EQ(refusal("\x16\x03\x01\x02"), 400);
  EXPECT_EQ(refusal("GET / HTTP/9.9\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET /\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: x\r\nspace : x\r\n\r\n"), 400);
}

TEST(RequestParser, RefusesFramingThatCouldBeReadInTwoWays) {  // R3
  const auto refused = [](std::string_view headers, std::string_view version = "1.1") {
    return refusal(fmt::format("POST / HTTP/{}\r\nHost: x\r\n{}\r\n", version, headers));
  };
  EXPECT_EQ(refused("Content-Length: x\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: -1\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: +1\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 1, 1\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 99999999999999999999\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 1\r\nContent-Length: 2\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", "1.0"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(refused("Transfer-Encoding: chunked, gzip\r\n"), 501);
  EXPECT_EQ(refused("Transfer-Encoding: xchunked\r\n"), 501);
  EXPECT_EQ(refused("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n"), 400);
}

TEST(RequestParser, WantsOneHostAndNoMore) {  // R5
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET http://x/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 0);
  EXPECT_EQ(refusal("GET / HTTP/1.0\r\n\r\n"), 0);
}

TEST(RequestParser, RefusesLinesThatEndOrGoOnOddly) {  // R5
  const std::string start = "GET / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(refusal(start + "A: b\r\n c\r\n\r\n"), 400);
  EXPECT_EQ(refusal(start + "A: b\r\n\tc\r\n\r\n"), 400);
  EXPECT_EQ(refusal(start + "A:\r\n Content-Length: 3\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(refusal(start + "A: b\nC: d\r\n\r\n"), 400);
  EXPECT_EQ(refusal(start + "A: b\rC: d\r\n\r\n"), 400);
  EXPECT_EQ(refusal("GET / HTTP/1.1\nHost: x\r\n\r\n"), 400);
}

TEST(RequestParser, SeesAFoldedLineThatComesByteByByte) {  // R5
  const std::string text = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n";
  RequestParser parser(kHeaderBytesMax);
  std::string unread;
  for (const char byte : text) {
    unread += byte;
    unread.erase(0, parser.put(unread));
  }
  EXPECT_EQ(parser.state(), State::Refused);
}

}  // namespace request_parser_test
}  // namespace graspd::net
