#include "grasp/rules.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace rules_test {
using namespace testing;

Announcement read(const Rules& rules, const nostr::WireEventPtr& wire) {
  return *rules.read_announcement(wire->event);
}

TEST(Rules, HostWhatListsUsOrWhatTheArchiveWants) {  // R1
  PolicyOptions with = options();
  const auto ours = announcement(1), theirs = announcement(2, {.listed = false});
  Rules rules(with);
  EXPECT_TRUE(rules.is_host_of(read(rules, ours)));
  EXPECT_FALSE(rules.is_host_of(read(rules, theirs)));
  with.archive.all = true;
  EXPECT_TRUE(Rules(with).is_host_of(read(rules, theirs)));
  EXPECT_FALSE(Rules(with).lists_us(read(rules, theirs)));
  with.archive = {.read_only = true};
  EXPECT_FALSE(Rules(with).is_host_of(read(rules, ours)));
}

TEST(Rules, ChangeTheirTextWithTheLists) {  // R2 R3
  Rules rules(options());
  const std::string before = rules.text();
  const Announcement announced = read(rules, announcement(1));
  EXPECT_FALSE(rules.is_unwelcome(announced));
  AccessLists lists;
  lists.repository_whitelist = AccessList::parse(nostr::nip19::npub(author(2))).list;
  rules.use(lists);
  EXPECT_TRUE(rules.is_unwelcome(announced));
  EXPECT_NE(rules.text(), before);
  rules.use({});
  EXPECT_EQ(rules.text(), before);
}

}  // namespace rules_test
}  // namespace graspd::grasp
