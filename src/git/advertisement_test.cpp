#include "git/advertisement.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace advertisement_test {

TEST(Advertisement, OfAnEmptyRepositoryTellsWhatTheServerCanDo) {
  const std::string whole = complete_advertisement("0000");
  EXPECT_NE(whole.find("0000000000000000000000000000000000000000 capabilities^{}"), whole.npos);
  EXPECT_NE(whole.find("allow-tip-sha1-in-want allow-reachable-sha1-in-want"), whole.npos);
  EXPECT_NE(whole.find(" filter "), whole.npos);
  EXPECT_TRUE(whole.ends_with("\n0000"));
}

TEST(Advertisement, DoesNotEndWithAnObjectFormatWhichLibgit2WouldNotKnow) {
  EXPECT_NE(complete_advertisement("0000").find(" object-format=sha1 "), std::string::npos);
}

TEST(Advertisement, OfVersion1KeepsItsVersion) {
  EXPECT_TRUE(complete_advertisement("000eversion 1\n0000").starts_with("000eversion 1\n"));
}

TEST(Advertisement, OfAnythingElseStaysAsItIs) {
  for (const std::string text : {"", "000eversion 2\n", "003fabc", "0000trailing"})
    EXPECT_EQ(complete_advertisement(text), text);
}

}  // namespace advertisement_test
}  // namespace graspd::git
