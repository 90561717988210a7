#include "web/icon.h"

#include <gtest/gtest.h>

namespace graspd::web {
namespace icon_test {

TEST(Icon, IsASmallPicture) {
  const std::string bytes = icon();
  EXPECT_TRUE(bytes.starts_with("\x89PNG\r\n"));
  EXPECT_EQ(bytes.substr(12, 12), std::string("IHDR\0\0\0\x80\0\0\0\x80", 12));
  EXPECT_NE(bytes.find("IEND"), std::string::npos);
  EXPECT_LT(bytes.size(), 2'000u);
}

}  // namespace icon_test
}  // namespace graspd::web
