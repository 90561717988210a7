#include "grasp/access_list.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace access_list_test {

using store::testing::author;

std::string npub(std::uint32_t number) { return nostr::nip19::npub(author(number)); }
Coordinate coordinate(std::uint32_t owner, std::string_view identifier) {
  return {author(owner), *Identifier::parse(identifier)};
}

TEST(AccessList, MatchesOwnersRepositoriesAndIdentifiers) {  // R1
  const auto [list, bad] =
      AccessList::parse(" " + npub(1) + " ,, " + npub(2) + "/one two,\tthree\n,a:b,");
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(list.match(coordinate(1, "any")), AccessRule::Owner);
  EXPECT_EQ(list.match(coordinate(2, "one two")), AccessRule::Repository);
  EXPECT_EQ(list.match(coordinate(2, "one")), std::nullopt);
  EXPECT_EQ(list.match(coordinate(3, "one two")), std::nullopt);
  EXPECT_EQ(list.match(coordinate(3, "three")), AccessRule::Identifier);
  EXPECT_EQ(list.match(coordinate(3, "a:b")), AccessRule::Identifier);
  EXPECT_TRUE(list.matches(coordinate(2, "three")));
  EXPECT_TRUE(list.matches_author(author(1)));
  EXPECT_FALSE(list.matches_author(author(2)));
}

TEST(AccessList, TakesKeysInHex) {  // R1
  const auto [list, bad] = AccessList::parse(author(1).hex() + "," + author(2).hex() + "/x");
  EXPECT_TRUE(bad.empty());
  EXPECT_EQ(list, AccessList::parse(npub(1) + "," + npub(2) + "/x").list);
  EXPECT_EQ(list.size(), 2u);
  EXPECT_TRUE(AccessList::parse_authors(author(1).hex()).list.matches_author(author(1)));
}

TEST(AccessList, HasOneTextHoweverItIsWritten) {
  const auto text = [](const std::string& csv) { return AccessList::parse(csv).list.text(); };
  const std::string one = npub(1), of_two = npub(2) + "/x";
  EXPECT_EQ(text(one + "," + of_two + ",y"), text("y, " + of_two + "," + one + "," + one));
  EXPECT_NE(text(one), text(one + "," + of_two));
  EXPECT_NE(text(of_two), text(npub(2) + ",x"));
}

TEST(AccessList, OfNothingIsEmpty) {
  for (const char* csv : {"", " ", ",", " , ,\n"}) {
    const auto [list, bad] = AccessList::parse(csv);
    EXPECT_TRUE(list.empty());
    EXPECT_TRUE(bad.empty());
    EXPECT_FALSE(list.matches(coordinate(1, "x")));
  }
}

TEST(AccessList, TellsWhatItDoesNotUnderstand) {  // R2
  std::string typo = npub(1);
  typo[10] = typo[10] == 'q' ? 'p' : 'q';
  for (const std::string& entry :
       {typo, typo + "/x", std::string("a/b"), std::string(".."), npub(1) + "/", npub(1) + "/a/b",
        std::string("npub1"), std::string("NPUB1x"), std::string("nsec1x"), std::string(300, 'x'),
        author(1).hex() + "0/x"}) {
    const auto [list, bad] = AccessList::parse("good," + entry);
    EXPECT_TRUE(list.matches(coordinate(1, "good")));
    EXPECT_FALSE(list.matches_author(author(1)));
    EXPECT_EQ(bad, std::vector{entry});
  }
}

TEST(AccessList, TellsTheWidestRule) {  // R3
  const auto list = AccessList::parse("x," + npub(1) + "/x," + npub(2) + "," + npub(2) + "/x").list;
  EXPECT_EQ(list.match(coordinate(1, "x")), AccessRule::Repository);
  EXPECT_EQ(list.match(coordinate(2, "x")), AccessRule::Owner);
  EXPECT_EQ(list.match(coordinate(3, "x")), AccessRule::Identifier);
}

TEST(AccessList, OfAuthorsTakesOnlyNpubs) {
  const auto [list, bad] = AccessList::parse_authors(npub(1) + ",x," + npub(2) + "/x");
  EXPECT_TRUE(list.matches_author(author(1)));
  EXPECT_FALSE(list.matches(coordinate(2, "x")));
  EXPECT_EQ(bad.size(), 2u);
}

TEST(AccessList, SaysWhatIsBlacklisted) {
  const auto repository = coordinate(1, "x");
  EXPECT_EQ(blacklisted_text(AccessRule::Owner, repository),
            "Repository owner " + npub(1) + " is blacklisted");
  EXPECT_EQ(blacklisted_text(AccessRule::Repository, repository),
            "Repository " + npub(1) + "/x is blacklisted");
  EXPECT_EQ(blacklisted_text(AccessRule::Identifier, repository),
            "Repository identifier x is blacklisted");
}

}  // namespace access_list_test
}  // namespace graspd::grasp
