#include "http/message.h"

#include <gtest/gtest.h>

namespace graspd::http {
namespace message_test {

TEST(Headers, AreFoundWithoutRegardToCase) {
  Headers headers;
  headers.add("Content-Type", "text/html");
  EXPECT_EQ(headers.get("content-type"), "text/html");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "text/html");
  EXPECT_FALSE(headers.get("content-typ"));
  EXPECT_FALSE(headers.get("content-types"));
  EXPECT_FALSE(headers.get(""));
}

TEST(Headers, GiveTheFirstOfRepeatedValues) {
  Headers headers;
  headers.add("A", "1");
  headers.add("a", "2");
  EXPECT_EQ(headers.get("a"), "1");
}

TEST(Headers, JoinRepeatedValuesInOrder) {
  Headers headers;
  headers.add("X-Forwarded-For", "1.1.1.1");
  headers.add("Other", "x");
  headers.add("x-forwarded-for", "2.2.2.2, 3.3.3.3");
  EXPECT_EQ(headers.joined("X-FORWARDED-FOR"), "1.1.1.1, 2.2.2.2, 3.3.3.3");
  EXPECT_FALSE(headers.joined("absent"));
}

TEST(Headers, TellAnEmptyValueFromNone) {
  Headers headers;
  headers.add("A", "");
  EXPECT_EQ(headers.get("a"), "");
  EXPECT_EQ(headers.joined("a"), "");
}

TEST(Headers, FindATokenInAList) {
  Headers headers;
  headers.add("Connection", "keep-alive,\t Upgrade ");
  headers.add("Connection", "x");
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_TRUE(headers.has_token("connection", "Keep-Alive"));
  EXPECT_TRUE(headers.has_token("connection", "X"));
  EXPECT_FALSE(headers.has_token("connection", "up"));
  EXPECT_FALSE(headers.has_token("connection", "keep-alive, upgrade"));
  EXPECT_FALSE(headers.has_token("absent", "x"));
}

TEST(Request, DividesItsTargetAtTheFirstQuestionMark) {
  Request request;
  request.target = "/a/b.git/info/refs?service=x?y";
  EXPECT_EQ(request.path(), "/a/b.git/info/refs");
  EXPECT_EQ(request.query(), "service=x?y");
  request.target = "/";
  EXPECT_EQ(request.path(), "/");
  EXPECT_EQ(request.query(), "");
  request.target = "";
  EXPECT_EQ(request.path(), "");
  EXPECT_EQ(request.query(), "");
}

TEST(Response, SaysWhatItsBodyIs) {
  const Response text = text_response(404, "no");
  EXPECT_EQ(text.status, 404);
  EXPECT_EQ(text.body, "no");
  EXPECT_EQ(text.headers.get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(json_response(200, "{}").headers.get("content-type"),
            "application/json; charset=utf-8");
}

}  // namespace message_test
}  // namespace graspd::http
