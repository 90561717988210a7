#include "grasp/repo_state.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace repo_state_test {

using store::testing::author;

const std::string kOne(40, '1'), kTwo(40, '2');

git::RefName name(std::string_view text) { return *git::RefName::parse(text); }
git::Oid oid(std::string_view text) { return *git::Oid::parse(text); }

core::Result<RepoState, std::string> parse(nostr::Tags tags) {
  return parse_state(store::testing::event(1, 30618, 100, std::move(tags))->event);
}

TEST(RepoState, DeclaresBranchesAndTags) {  // R1
  const auto state = parse({{"d", "x"},
                            {"refs/heads/main", kOne, "an ancestor", "another"},
                            {"refs/tags/v1", kTwo},
                            {"refs/tags/v1^{}", kOne},
                            {"refs/heads/link", "ref: refs/heads/main"},
                            {"refs/nostr/abc", "junk"},
                            {"refs/pull/1/head", "junk"},
                            {"refs/stash", "junk"},
                            {"HEAD", "ref: refs/heads/main"}});
  ASSERT_TRUE(state);
  EXPECT_EQ(state->author, author(1));
  EXPECT_EQ(state->identifier.text(), "x");
  EXPECT_EQ(state->created_at, 100);
  EXPECT_EQ(state->refs,
            (git::Refs{{name("refs/heads/main"), oid(kOne)}, {name("refs/tags/v1"), oid(kTwo)}}));
  EXPECT_EQ(state->head, name("refs/heads/main"));
  EXPECT_TRUE(state->satisfiable);
  EXPECT_FALSE(state->stops_tracking());
}

TEST(RepoState, ReadsHeadInBothForms) {  // R2
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {"ref: refs/heads/a", "refs/heads/a"},
      {"refs/heads/a", "refs/heads/a"},
      {"ref: refs/heads/a/b", "refs/heads/a/b"},
      {"", {}},
      {"a", {}},
      {kOne, {}},
      {"refs/tags/a", {}},
      {"ref: refs/tags/a", {}},
      {"ref: ref: refs/heads/a", {}},
      {"ref:refs/heads/a", {}},
      {"refs/heads/../a", {}},
      {"refs/heads/", {}},
      {"HEAD", {}},
      {"ref: HEAD", {}},
  };
  for (const auto& [value, head] : cases) {
    const auto state = parse({{"d", "x"}, {"HEAD", value}});
    ASSERT_TRUE(state);
    EXPECT_EQ(state->head ? std::optional(state->head->text()) : std::nullopt, head) << value;
    EXPECT_TRUE(state->satisfiable) << value;
  }
  EXPECT_EQ(parse({{"d", "x"}, {"HEAD", "junk"}, {"HEAD", "refs/heads/b"}})->head,
            name("refs/heads/b"));
}

TEST(RepoState, WithJunkIsNeverSatisfied) {  // R3
  for (const std::string& value :
       {std::string(), std::string("abc123"), std::string(64, 'a'), std::string(40, '0'),
        std::string(40, 'A'), std::string("HEAD"), std::string("--upload-pack=x"),
        std::string("+refs/heads/a:refs/heads/b"), kOne + "\n", " " + kOne}) {
    const auto state = parse({{"d", "x"}, {"refs/heads/a", value}, {"refs/heads/b", kOne}});
    ASSERT_TRUE(state);
    EXPECT_FALSE(state->satisfiable) << value;
    EXPECT_EQ(state->refs, (git::Refs{{name("refs/heads/b"), oid(kOne)}}));
    EXPECT_FALSE(state->stops_tracking());
  }
  for (const char* bad : {"refs/heads/", "refs/heads/a..b", "refs/heads/../x", "refs/tags/a b",
                          "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a:b", "refs/tags//a"}) {
    const auto state = parse({{"d", "x"}, {bad, kOne}});
    ASSERT_TRUE(state);
    EXPECT_FALSE(state->satisfiable) << bad;
    EXPECT_TRUE(state->refs.empty());
  }
  EXPECT_FALSE(parse({{"d", "x"}, {"refs/heads/a"}})->satisfiable);
}

TEST(RepoState, ThatContradictsItselfIsNeverSatisfied) {  // R3
  const std::string a = "refs/heads/a";
  EXPECT_FALSE(parse({{"d", "x"}, {a, kOne}, {a, kTwo}})->satisfiable);
  EXPECT_TRUE(parse({{"d", "x"}, {a, kOne}, {a, kOne}})->satisfiable);
  EXPECT_FALSE(parse({{"d", "x"}, {a, kOne}, {a + "/b", kOne}})->satisfiable);
  EXPECT_FALSE(parse({{"d", "x"}, {a + "/b/c", kOne}, {a + "-", kOne}, {a, kOne}})->satisfiable);
  EXPECT_TRUE(
      parse({{"d", "x"}, {a + "/b", kOne}, {a + "/c", kOne}, {a + "b", kOne}})->satisfiable);
  EXPECT_TRUE(parse({{"d", "x"}, {a, kOne}, {"refs/tags/a/b", kOne}})->satisfiable);
}

TEST(RepoState, WithoutRefsAsksToStopTracking) {  // R4
  EXPECT_TRUE(parse({{"d", "x"}})->stops_tracking());
  EXPECT_TRUE(parse({{"d", "x"}, {"HEAD", "ref: refs/heads/main"}})->stops_tracking());
}

TEST(RepoState, TellsNamesThatNoFileCanHave) {  // R5
  const std::string part(300, 'a');
  const auto state = parse({{"d", "x"}, {"refs/heads/" + part, kOne}, {"refs/heads/b", kOne}});
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->satisfiable);
  EXPECT_EQ(state->too_long, "the ref name refs/heads/" + std::string(29, 'a') +
                                 "… has a part of 300 bytes, and a file can hold 250");
  const std::string kept = "refs/heads/" + std::string(28, 'a');  // a character is not cut in two
  EXPECT_TRUE(parse({{"d", "x"}, {kept + "é" + part, kOne}})
                  ->too_long.starts_with("the ref name " + kept + "… has"));
  EXPECT_EQ(parse({{"d", "x"}, {"refs/heads/" + std::string(250, 'a'), kOne}})->too_long, "");
  EXPECT_EQ(parse({{"d", "x"}, {"refs/heads/a..b", kOne}})->too_long, "");
}

TEST(RepoState, NeedsAnIdentifier) {
  for (const nostr::Tags& tags :
       {nostr::Tags{}, nostr::Tags{{"d", ".."}}, nostr::Tags{{"d", "a/b"}}}) {
    const auto state = parse(tags);
    ASSERT_FALSE(state);
    EXPECT_TRUE(state.error().starts_with("invalid: repository identifier")) << state.error();
  }
}

}  // namespace repo_state_test
}  // namespace graspd::grasp
