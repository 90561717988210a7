#include "app/client/local_refs.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"
#include "app/config/config.h"
#include "gitio/run.h"

namespace graspd::app {
namespace local_refs_test {

git::Oid oid(char digit) { return *git::Oid::parse(std::string(40, digit)); }
git::RefName ref(std::string_view text) { return *git::RefName::parse(text); }

LocalRefs three_branches() {
  return {{{ref("refs/heads/a"), oid('1')},
           {ref("refs/heads/b"), oid('2')},
           {ref("refs/heads/main"), oid('3')},
           {ref("refs/tags/v1"), oid('4')}},
          ref("refs/heads/main")};
}

TEST(LocalRefs, AreReadFromGitsListing) {
  const std::string a(40, 'a'), b(40, 'b');
  const auto refs = parse_ref_listing(a + " refs/heads/main\n" + b + " refs/tags/v1.0\n" + a +
                                      " refs/heads/pr/proposal\n");
  ASSERT_TRUE(refs) << refs.error();
  EXPECT_EQ(*refs, (git::Refs{{ref("refs/heads/main"), oid('a')},
                              {ref("refs/tags/v1.0"), oid('b')}}));  // R2
  EXPECT_TRUE(parse_ref_listing("")->empty());
}

TEST(LocalRefs, AreRefusedWhenAListingMakesNoSense) {
  const std::string a(40, 'a');
  for (const std::string& listing : {std::string("x"), std::string("\n"), a, a + " ", a + " main",
                                     std::string("abc refs/heads/main")}) {
    EXPECT_FALSE(parse_ref_listing(listing)) << listing;
  }
}

TEST(LocalRefs, AreAllChosenUnlessBranchesAreNamed) {
  EXPECT_EQ(*choose(three_branches(), {}, true), three_branches());
  const auto without_tags = choose(three_branches(), {}, false);
  EXPECT_EQ(without_tags->refs.size(), 3U);
  const auto one = choose(three_branches(), {"b"}, true);
  EXPECT_EQ(one->refs,
            (git::Refs{{ref("refs/heads/b"), oid('2')}, {ref("refs/tags/v1"), oid('4')}}));
  EXPECT_EQ(one->head, ref("refs/heads/b"));
  EXPECT_EQ(choose(three_branches(), {"b", "main"}, false)->head, ref("refs/heads/main"));
  EXPECT_FALSE(choose(three_branches(), {"missing"}, true));
  EXPECT_FALSE(choose(three_branches(), {"no such..name"}, true));
}

TEST(LocalRefs, HaveAHeadAlsoWhenItIsDetached) {
  LocalRefs detached = three_branches();
  detached.head.reset();
  EXPECT_EQ(choose(detached, {}, true)->head, ref("refs/heads/a"));
  EXPECT_EQ(choose({}, {}, true)->head, std::nullopt);
}

// A repository made by git itself, as a person would.
class LocalRepository : public ::testing::Test {
 protected:
  void git(std::vector<std::string> arguments) {
    git::CommandLine command;
    command.argv = std::move(arguments);
    command.argv.insert(command.argv.begin(), "git");
    for (const auto& [name, value] : process_environment())
      command.env.push_back(name + "=" + value);
    for (const char* const variable :
         {"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a",
          "GIT_COMMITTER_EMAIL=a@a", "GIT_CONFIG_GLOBAL=/dev/null"})
      command.env.emplace_back(variable);
    command.directory = folder.path().string();
    const auto output = gitio::run_ok(command, "");
    ASSERT_TRUE(output) << output.error();
  }
  TemporaryFolder folder;
};

TEST_F(LocalRepository, TellsItsBranchesTagsAndHead) {
  git({"init", "-q", "-b", "trunk"});
  git({"commit", "-q", "--allow-empty", "-m", "first"});
  git({"branch", "other"});
  git({"branch", "pr/mine"});
  git({"tag", "-a", "-m", "annotated", "v1"});
  const auto refs = read_local_refs(folder.path().string());
  ASSERT_TRUE(refs) << refs.error();
  EXPECT_EQ(refs->head, ref("refs/heads/trunk"));
  ASSERT_EQ(refs->refs.size(), 3U);
  EXPECT_TRUE(refs->refs.contains(ref("refs/heads/other")));
  // The tag itself is announced, not what it points to: that is what a push puts there.
  EXPECT_NE(refs->refs.at(ref("refs/tags/v1")), refs->refs.at(ref("refs/heads/trunk")));
}

TEST_F(LocalRepository, IsMissedWhereThereIsNone) {
  const auto refs = read_local_refs(folder.path().string());
  ASSERT_FALSE(refs);
  EXPECT_NE(refs.error().find("--repository"), std::string::npos);
  EXPECT_FALSE(read_local_refs((folder.path() / "missing").string()));
}

}  // namespace local_refs_test
}  // namespace graspd::app
