#include "http/base_path.h"

#include <gtest/gtest.h>

namespace graspd::http {
namespace base_path_test {

BadBasePath failure(std::string_view text) {
  const auto path = BasePath::parse(text);
  EXPECT_FALSE(path) << text;
  return path ? BadBasePath{} : path.error();
}

TEST(BasePath, IsTheRootByDefault) {
  EXPECT_EQ(BasePath().text(), "/");
  EXPECT_TRUE(BasePath().is_root());
  EXPECT_TRUE(BasePath::parse("/")->is_root());
}

TEST(BasePath, AcceptsWhatRequestsCarryUnchanged) {  // R1
  for (std::string_view text :
       {"/grasp", "/a/b/c", "/~me", "/%C3%A9", "/a.b", "/...", "/.git", "/a%2fb", "/a@b:c;d=e|f"}) {
    const auto path = BasePath::parse(text);
    ASSERT_TRUE(path) << text;
    EXPECT_EQ(path->text(), text);
    EXPECT_FALSE(path->is_root());
  }
}

TEST(BasePath, SaysWhatIsWrong) {  // R1
  for (std::string_view text : {"", "grasp", "grasp/", "http://x/", " /grasp"}) {
    EXPECT_EQ(failure(text), BadBasePath::NoLeadingSlash) << text;
  }
  EXPECT_EQ(failure("/grasp/"), BadBasePath::TrailingSlash);
  for (std::string_view text : {"//", "/a//b", "//a"}) {
    EXPECT_EQ(failure(text), BadBasePath::EmptySegment) << text;
  }
  for (std::string_view text : {"/.", "/..", "/a/../b", "/a/.", "/%2e", "/.%2E/x", "/%2e%2e"}) {
    EXPECT_EQ(failure(text), BadBasePath::DotSegment) << text;
  }
  for (std::string_view text : {"/a?b", "/a#b", "/a b", "/\xc3\xa9", "/<", "/a\\b", "/%", "/%4",
                                "/%zz", "/a\n", "/{x}", "/`", "/\x7f"}) {
    EXPECT_EQ(failure(text), BadBasePath::BadCharacter) << text;
  }
  for (int i = 0; i <= static_cast<int>(BadBasePath::BadCharacter); ++i) {
    EXPECT_FALSE(describe(static_cast<BadBasePath>(i)).empty());
  }
}

TEST(BasePath, AtTheRootLeavesPathsAsTheyAre) {  // R2
  const BasePath root;
  EXPECT_EQ(root.below("/"), "/");
  EXPECT_EQ(root.below("/npub1x/repo.git"), "/npub1x/repo.git");
  EXPECT_FALSE(root.below(""));
  EXPECT_FALSE(root.below("*"));
  EXPECT_FALSE(root.below("http://h/"));
}

TEST(BasePath, MapsTheMountAndWhatIsBelow) {  // R2
  const BasePath mount = *BasePath::parse("/grasp");
  EXPECT_EQ(mount.below("/grasp"), "/");
  EXPECT_EQ(mount.below("/grasp/"), "/");
  EXPECT_EQ(mount.below("/grasp/a/b"), "/a/b");
  EXPECT_EQ(mount.below("/grasp//a"), "//a");
  for (std::string_view path :
       {"/", "", "/graspx", "/gras", "/Grasp", "/x/grasp", "grasp", "/grasp%2f", "//grasp"}) {
    EXPECT_FALSE(mount.below(path)) << path;
  }
}

}  // namespace base_path_test
}  // namespace graspd::http
