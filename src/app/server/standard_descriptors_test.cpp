#include "app/server/standard_descriptors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace graspd::app {
namespace standard_descriptors_test {

bool is_null_device(int descriptor) {
  struct stat found{}, null{};
  return ::fstat(descriptor, &found) == 0 && ::stat("/dev/null", &null) == 0 &&
         found.st_rdev == null.st_rdev;
}

// In a child, since the test needs its own.
int exit_code_without(const std::vector<int>& closed) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int descriptor : closed) ::close(descriptor);
    if (!hold_standard_descriptors()) ::_exit(1);
    for (const int descriptor : closed)
      if (!is_null_device(descriptor)) ::_exit(2);
    ::_exit(::dup(STDERR_FILENO) > STDERR_FILENO ? 0 : 3);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardDescriptors, AreNeverLeftForAFileThatIsOpenedLater) {
  EXPECT_EQ(exit_code_without({STDERR_FILENO}), 0);
  EXPECT_EQ(exit_code_without({STDIN_FILENO, STDERR_FILENO}), 0);
  EXPECT_EQ(exit_code_without({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}), 0);
}

TEST(StandardDescriptors, ThatAreOpenStayWhatTheyAre) {
  struct stat before{}, after{};
  ASSERT_EQ(::fstat(STDERR_FILENO, &before), 0);
  EXPECT_TRUE(hold_standard_descriptors());
  ASSERT_EQ(::fstat(STDERR_FILENO, &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

}  // namespace standard_descriptors_test
}  // namespace graspd::app
