#include "nostr/tags.h"

#include <gtest/gtest.h>

namespace graspd::nostr {
namespace tags_test {

TEST(Tags, GivesBackTheRowsInOrder) {
  const Tags tags = {{"e", "abc", "wss://relay"}, {"-"}, {"t", ""}};
  ASSERT_EQ(tags.size(), 3U);
  EXPECT_EQ(tags[0].size(), 3U);
  EXPECT_EQ(tags[0].name(), "e");
  EXPECT_EQ(tags[0].value(), "abc");
  EXPECT_EQ(tags[0][2], "wss://relay");
  EXPECT_EQ(tags[1].size(), 1U);
  EXPECT_EQ(tags[1].value(), "");
  EXPECT_EQ(tags[2].size(), 2U);
  EXPECT_EQ(tags[2].value(), "");
}

TEST(Tags, CanBeWalkedWithAForLoop) {
  std::string names;
  for (const Tag tag : Tags{{"a", "1"}, {"b", "2"}, {"c"}}) names += tag.name();
  EXPECT_EQ(names, "abc");
}

TEST(Tags, KeepsEmptyRowsAndItemsWithNulBytes) {
  Tags tags;
  tags.begin_row();
  tags.begin_row();
  tags.append(std::string_view("a\0b", 3));
  EXPECT_EQ(tags[0].size(), 0U);
  EXPECT_EQ(tags[0].name(), "");
  EXPECT_EQ(tags[1].name(), std::string_view("a\0b", 3));
}

TEST(Tags, FindsTheFirstOfAName) {
  const Tags tags = {{"d", "one"}, {"d", "two"}, {"x"}};
  EXPECT_EQ(tags.first("d"), "one");
  EXPECT_EQ(tags.first("x"), "");
  EXPECT_EQ(tags.first("y"), std::nullopt);
}

TEST(Tags, AnEmptyRowHasNoName) {
  Tags tags;
  tags.begin_row();
  EXPECT_EQ(tags.first(""), std::nullopt);
}

TEST(Tags, AreEqualOnlyWhenRowsAndItemsAre) {
  EXPECT_EQ((Tags{{"a", "b"}}), (Tags{{"a", "b"}}));
  EXPECT_NE((Tags{{"a", "b"}}), (Tags{{"ab"}}));
  EXPECT_NE((Tags{{"a", "b"}}), (Tags{{"a"}, {"b"}}));
}

TEST(Tags, CountsItemsAndBytes) {
  Tags tags = {{"e", "abc"}, {"t"}};
  EXPECT_EQ(tags.item_count(), 3U);
  EXPECT_EQ(tags.text_bytes(), 5U);
  tags.clear();
  EXPECT_EQ(tags, Tags());
}

TEST(Tag, HasALetterOnlyWhenItsNameIsOne) {
  const Tags tags = {{"e"}, {"E"}, {"ee"}, {"1"}, {"-"}, {""}, {"\xc3\xa9"}};
  EXPECT_EQ(tags[0].letter(), 'e');
  EXPECT_EQ(tags[1].letter(), 'E');
  for (std::size_t i = 2; i < tags.size(); ++i) EXPECT_EQ(tags[i].letter(), 0) << i;
}

}  // namespace tags_test
}  // namespace graspd::nostr
