#include "net/response_text.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace response_text_test {

TEST(ResponseText, IsAStatusLineHeadersAndABody) {
  http::Response response{200, {}, "hello"};
  response.headers.add("Content-Type", "text/plain");
  EXPECT_EQ(response_text(response, {false, true, 784111777}),
            "HTTP/1.1 200 OK\r\nServer: graspd\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: text/plain\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello");
}

TEST(ResponseText, HasNoBodyForHeadButItsLength) {  // R3
  const std::string text = response_text({404, {}, "gone"}, {true, false, 0});
  EXPECT_NE(text.find("Content-Length: 4\r\nConnection: close\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(ResponseText, SaysHowABodyThatIsSentLaterWillEnd) {
  const http::Response response{200, {}, "ignored"};
  EXPECT_TRUE(response_head(response, {}, BodyEnd::LastChunk)
                  .ends_with("Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"));
  const std::string closing = response_head(response, {false, false, 0}, BodyEnd::Close);
  EXPECT_EQ(closing.find("Transfer-Encoding"), std::string::npos);
  EXPECT_EQ(closing.find("Content-Length"), std::string::npos);
  const std::string bodiless = response_head({304, {}, ""}, {}, BodyEnd::LastChunk);
  EXPECT_EQ(bodiless.find("Transfer-Encoding"), std::string::npos);
}

TEST(ResponseText, HasNeitherBodyNorLengthWhenThereCanBeNone) {  // R3
  const std::string text = response_text({204, {}, "ignored"}, {});
  EXPECT_EQ(text.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(ResponseText, LeavesOutWhatWouldBeSaidTwiceOrBreakTheLine) {  // R1 R2
  http::Response response{200, {}, ""};
  response.headers.add("content-length", "77");
  response.headers.add("Location", "/\r\nSet-Cookie: a=b");
  const std::string text = response_text(response, {});
  EXPECT_EQ(text.find("77"), std::string::npos);
  EXPECT_EQ(text.find("Set-Cookie"), std::string::npos);
}

}  // namespace response_text_test
}  // namespace graspd::net
