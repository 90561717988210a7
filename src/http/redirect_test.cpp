#include "http/redirect.h"

#include <gtest/gtest.h>

namespace graspd::http::redirect_test {

TEST(Redirect, LeadsElsewhereForAWhile) {
  const Response moved = moved_response("/a.git");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(moved.headers.get("location"), "/a.git");
  EXPECT_EQ(moved.headers.get("cache-control"), "max-age=3600");
}

}  // namespace graspd::http::redirect_test
