#include "app/base/terminals.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace graspd::app {
namespace terminals_test {

TEST(Terminals, AreGoneWhenTheyWereClosed) {
  const int ours = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(ours, 0);
  ASSERT_EQ(::grantpt(ours), 0);
  ASSERT_EQ(::unlockpt(ours), 0);
  const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY);
  ASSERT_GE(theirs, 0);
  const Terminals terminals({theirs});
  EXPECT_FALSE(terminals.are_gone());
  ::close(ours);
  EXPECT_TRUE(terminals.are_gone());
  ::close(theirs);
}

TEST(Terminals, ThatWereNeverThereAreNotGone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Terminals none({ends[0], ends[1]});
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(none.are_gone());
}

}  // namespace terminals_test
}  // namespace graspd::app
