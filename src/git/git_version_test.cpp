#include "git/git_version.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace git_version_test {

TEST(GitVersion, IsReadWhateverStandsBehindIt) {
  EXPECT_EQ(parse_git_version("git version 2.39.5\n"), (GitVersion{2, 39}));
  EXPECT_EQ(parse_git_version("git version 2.50.1 (Apple Git-155)\n"), (GitVersion{2, 50}));
  EXPECT_EQ(parse_git_version("git version 3.0-rc1"), (GitVersion{3, 0}));
  for (const char* text : {"", "git version", "git version x", "git version 2", "version 2.39"})
    EXPECT_FALSE(parse_git_version(text)) << text;
}

TEST(GitVersion, IsComparedByNumbers) {
  EXPECT_LT((GitVersion{2, 9}), kOldestGit);
  EXPECT_LT((GitVersion{1, 99}), kOldestGit);
  EXPECT_GE((GitVersion{2, 39}), kOldestGit);
  EXPECT_GE((GitVersion{3, 0}), kOldestGit);
}

}  // namespace git_version_test
}  // namespace graspd::git
