#include "grasp/announcement.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace announcement_test {

using store::testing::author;
using store::testing::event;
using Texts = std::vector<std::string>;

core::Result<Announcement, std::string> parse(nostr::Tags tags, std::string content = {}) {
  return parse_announcement(event(1, 30617, 100, std::move(tags), std::move(content))->event);
}

TEST(Announcement, IsPrivateWhenItSaysExactlySo) {  // R4
  const auto is_private = [](nostr::Tags tags) { return parse(std::move(tags))->is_private; };
  EXPECT_TRUE(is_private({{"d", "x"}, {"private", "true"}}));
  EXPECT_FALSE(is_private({{"d", "x"}}));
  EXPECT_FALSE(is_private({{"d", "x"}, {"private"}}));
  EXPECT_FALSE(is_private({{"d", "x"}, {"private", "false"}}));
  EXPECT_FALSE(is_private({{"d", "x"}, {"private", "true", "more"}}));
}

TEST(Announcement, IsReadFromItsTags) {
  const auto repository = parse({{"d", "my-repo"},
                                 {"name", "My repo"},
                                 {"description", "Told in a tag"},
                                 {"web", "https://a", "https://b"},
                                 {"clone", "https://c/x.git", "", "https://d/x.git"},
                                 {"relays", "wss://e"},
                                 {"relays", "wss://f", "wss://g"},
                                 {"r", "aaaa"},
                                 {"r", "bbbb", "euc"},
                                 {"t", "personal-fork"},
                                 {"maintainers", author(2).hex()}},
                                "told in the content");
  ASSERT_TRUE(repository);
  EXPECT_EQ(repository->coordinate, (Coordinate{author(1), *Identifier::parse("my-repo")}));
  EXPECT_EQ(repository->created_at, 100);
  EXPECT_NE(repository->id, nostr::EventId());
  EXPECT_EQ(repository->name, "My repo");
  EXPECT_EQ(repository->description, "Told in a tag");
  EXPECT_EQ(repository->web, (Texts{"https://a", "https://b"}));
  EXPECT_EQ(repository->clone, (Texts{"https://c/x.git", "https://d/x.git"}));
  EXPECT_EQ(repository->relays, (Texts{"wss://e", "wss://f", "wss://g"}));  // R2
  EXPECT_EQ(repository->earliest_unique_commit, "bbbb");
  EXPECT_EQ(repository->topics, Texts{"personal-fork"});
  EXPECT_EQ(repository->roles.listed, std::set{author(2)});
}

TEST(Announcement, NeedsNothingButAnIdentifier) {  // R1
  const auto repository = parse({{"d", "x"}}, "told in the content");
  ASSERT_TRUE(repository);
  EXPECT_EQ(repository->description, "told in the content");  // R3
  EXPECT_EQ(repository->name, "");
  EXPECT_FALSE(repository->earliest_unique_commit);
}

TEST(Announcement, IsRefusedWithAReason) {  // R1
  const std::string identifier = "invalid: repository identifier ";
  const std::vector<std::pair<nostr::Tags, std::string>> cases = {
      {{}, identifier + "is missing or empty"},
      {{{"d"}}, identifier + "is missing or empty"},
      {{{"d", ""}}, identifier + "is missing or empty"},
      {{{"d", ".."}}, identifier + "must not be '.' or '..'"},
      {{{"d", "a/b"}}, identifier + "must not contain '/' or '\\'"},
      {{{"d", "x"}, {"clone", "https://a"}, {"clone", "https://b"}},
       "invalid: Invalid announcement: multiple clone tags found. correct format is single clone "
       "tag with multiple values"},
  };
  for (const auto& [tags, text] : cases) {
    const auto repository = parse(tags);
    ASSERT_FALSE(repository) << text;
    EXPECT_EQ(repository.error(), text);
  }
}

}  // namespace announcement_test
}  // namespace graspd::grasp
