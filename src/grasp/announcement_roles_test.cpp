#include "grasp/announcement_roles.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace announcement_roles_test {

using Keys = std::set<nostr::PublicKey>;
using store::testing::author;

const nostr::PublicKey kSelf = author(1), kA = author(2), kB = author(3);
const std::string kSelfHex = kSelf.hex(), kAHex = kA.hex(), kBHex = kB.hex();

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  return text;
}

Roles roles(nostr::Tags tags) {
  return parse_roles(store::testing::event(1, 30617, 1, std::move(tags))->event);
}

TEST(Roles, OfTheOlderFormatAreTheFirstMaintainersTag) {  // R5, R6
  const auto read =
      roles({{"maintainers", kAHex, kSelfHex, "junk", upper(kBHex), ""}, {"maintainers", kBHex}});
  EXPECT_EQ(read, (Roles{false, true, Keys{kA}, {}}));
  EXPECT_EQ(roles({}), Roles());
}

TEST(Roles, BeyondTheBoundAreOnlyCounted) {  // R7
  const auto event = [](nostr::Tags tags) {
    return store::testing::event(1, 30617, 1, std::move(tags))->event;
  };
  const auto old_format = parse_roles(event({{"maintainers", kBHex, kBHex, kAHex}}), 1);
  EXPECT_EQ(old_format.listed, Keys{kB});
  EXPECT_EQ(old_format.left_out, 1U);
  const auto roles = parse_roles(event({{"m", kBHex}, {"M", kAHex}, {"M", kSelfHex}}), 1);
  EXPECT_EQ(roles.listed, Keys{kB});
  EXPECT_EQ(roles.active_leads, Keys{kSelf});
  EXPECT_EQ(roles.left_out, 1U);
  EXPECT_EQ(parse_roles(event({{"m", kBHex}, {"M", kAHex}}), 2).left_out, 0U);
}

TEST(Roles, BeatTheOlderFormatWhateverTheyHold) {  // R1
  for (const nostr::Tags& tags :
       {nostr::Tags{{"maintainers", kAHex}, {"M"}}, nostr::Tags{{"maintainers", kAHex}, {"m", ""}},
        nostr::Tags{{"o", "junk"}, {"maintainers", kAHex}}}) {
    EXPECT_EQ(roles(tags), (Roles{true, true, {}, {}}));
  }
  EXPECT_EQ(roles({{"maintainers", kAHex}, {"u", kBHex}}).listed, Keys{kA});
}

TEST(Roles, AreActiveUntilTheyEnd) {  // R2
  const std::string most = "18446744073709551615";
  const std::vector<std::pair<std::vector<std::string>, bool>> cases = {
      {{}, true},
      {{"1"}, true},
      {{"0"}, true},
      {{most}, true},
      {{"00000000000000000001"}, true},
      {{"1", "2"}, false},
      {{"1", "2", "3"}, true},
      {{"3", "2", "1"}, true},  // no order is asked for
      {{"1", "2", "3", "4"}, false},
      {{"1", "defer"}, false},
      {{"1", "2", "3", "defer"}, false},
      {{"defer"}, false},
      {{"1", "defer", "3"}, false},
      {{"1", "2", "defer"}, false},
      {{"18446744073709551616"}, false},
      {{"000000000000000000001"}, false},  // 21 digits
      {{""}, false},
      {{"+1"}, false},
      {{"-1"}, false},
      {{" 1"}, false},
      {{"1.0"}, false},
      {{"x"}, false},
      {{"1", "x", "3"}, false},
      {{"x", "2", "3"}, false},
  };
  for (const auto& [times, is_active] : cases) {
    nostr::Tags tags;
    tags.begin_row();
    for (const std::string& item : {std::string("m"), kAHex}) tags.append(item);
    for (const std::string& time : times) tags.append(time);
    EXPECT_EQ(roles(tags).listed.count(kA) == 1, is_active) << testing::PrintToString(times);
  }
}

TEST(Roles, NeedOneActiveEntryOfAKey) {  // R3
  EXPECT_EQ(roles({{"M", kAHex, "1", "2"}, {"m", kAHex}}), (Roles{true, true, Keys{kA}, {}}));
  EXPECT_EQ(roles({{"m", kAHex, "x"}, {"M", kAHex}}), (Roles{true, true, Keys{kA}, Keys{kA}}));
  EXPECT_EQ(roles({{"o", kAHex}}), (Roles{true, true, {}, {}}));
  EXPECT_EQ(roles({{"o", kAHex}, {"m", kAHex}}).listed, Keys{kA});
}

TEST(Roles, ReadKeysOfEitherCase) {  // R3
  EXPECT_EQ(roles({{"M", upper(kAHex)}, {"m", kAHex.substr(1)}}).active_leads, Keys{kA});
}

TEST(Roles, NameEveryActiveLead) {
  const auto read = roles({{"M", kSelfHex}, {"M", kAHex, "5"}, {"M", kBHex, "1", "2"}});
  EXPECT_EQ(read, (Roles{true, true, Keys{kA}, Keys{kSelf, kA}}));
}

TEST(Roles, SayWhetherTheAuthorIsStillThere) {  // R4
  const std::vector<std::pair<nostr::Tags, bool>> cases = {
      {{{"M", kAHex}}, true},
      {{{"m", kSelfHex}}, true},
      {{{"m", kSelfHex, "1"}}, true},
      {{{"m", kSelfHex, "1", "2"}}, false},
      {{{"M", kSelfHex, "1", "defer"}}, false},
      {{{"m", kSelfHex, "junk"}}, false},
      {{{"o", kSelfHex}}, false},
      {{{"o", kSelfHex, "junk"}}, false},
      {{{"o", kSelfHex}, {"m", kSelfHex}}, true},
      {{{"m", kSelfHex, "1", "2"}, {"M", kSelfHex, "3"}}, true},
      {{{"m", upper(kSelfHex), "1", "2"}}, false},
  };
  for (const auto& [tags, is_active] : cases) {
    const auto read = roles(tags);
    EXPECT_EQ(read.author_active, is_active) << testing::PrintToString(tags[0].value());
    EXPECT_EQ(read.listed.count(kSelf), 0u);  // R6
  }
}

}  // namespace announcement_roles_test
}  // namespace graspd::grasp
