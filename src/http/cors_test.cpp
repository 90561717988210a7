#include "http/cors.h"

#include <gtest/gtest.h>

namespace graspd::http {
namespace cors_test {

TEST(Cors, LetsEveryOriginDoWhatGitAndNostrClientsDo) {  // R1
  Headers headers;
  add_cors(headers);
  EXPECT_EQ(headers.get("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(headers.get("Access-Control-Allow-Methods"), "GET, POST");
  for (const char* name : {"authorization", "content-type", "git-protocol", "accept",
                           "content-encoding", "x-requested-with"}) {
    EXPECT_TRUE(headers.has_token("Access-Control-Allow-Headers", name)) << name;
  }
  EXPECT_EQ(headers.get("Access-Control-Expose-Headers"), "WWW-Authenticate");
}

TEST(Cors, NamesEachHeaderOnceOnAPreflightResponse) {  // R1, R2
  Response response = preflight_response();
  EXPECT_EQ(response.status, 204);
  EXPECT_TRUE(response.body.empty());
  add_cors(response.headers);
  EXPECT_EQ(response.headers.joined("Access-Control-Allow-Origin"), "*");
}

}  // namespace cors_test
}  // namespace graspd::http
