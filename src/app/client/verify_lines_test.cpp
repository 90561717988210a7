#include "app/client/verify_lines.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace verify_lines_test {

TEST(VerifyLines, AreReadAsServersWriteThem) {
  ::testing::internal::CaptureStdout();
  VerifyReport report;
  const auto portion = take_portion(
      "number 5\ncursor 9\nwaiting 2\nok /npub1a/x.git\nbroken /npub1b/y%20z.git it is gone\n"
      "nothing /npub1c/z.git\nok /npub1a/x.git\ncolour blue\n",
      report);
  ASSERT_TRUE(portion);
  EXPECT_EQ(portion->number, 5U);
  EXPECT_EQ(portion->cursor, 9U);
  EXPECT_EQ(portion->waiting, 2U);
  EXPECT_EQ(report.finish(), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "ok      npub1a/x.git\nbroken  npub1b/y%20z.git: it is gone\n"
            "nothing npub1c/z.git: no served state declares anything\n"
            "3 repositories, 1 broken\n");
}

TEST(VerifyLines, OfSomebodyElseAreNotRead) {
  VerifyReport report;
  for (const char* text : {"", "<html>", "number x\nwaiting 1\n", "number 1\n"})
    EXPECT_FALSE(take_portion(text, report)) << text;
}

}  // namespace verify_lines_test
}  // namespace graspd::app
