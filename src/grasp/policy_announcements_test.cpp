#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_announcements_test {

using namespace testing;

const std::string kDuplicate = "duplicate: in purgatory";
const std::string kSuperseded = "duplicate: superseded by a newer event";
const std::string kNotListed =
    "invalid: Announcement must list service in both 'clone' and 'relays' tags, or match archive "
    "whitelist. Found clone URLs: ";

std::string npub(std::uint32_t who) { return nostr::nip19::npub(author(who)); }

bool is_not_listed(const std::string& answer) { return answer.starts_with(kNotListed); }

TEST(PolicyAnnouncements, WaitForGitDataWhenTheyListThisService) {  // R1
  World world;
  const auto announced = announcement(1);
  EXPECT_EQ(world.send(announced), "purgatory");
  EXPECT_FALSE(world.has(announced));
  EXPECT_TRUE(world.is_open(1));
  EXPECT_EQ(world.send(announced), kDuplicate);

  const auto first = state(1);
  EXPECT_EQ(world.send(first), "purgatory");
  world.release({announced, first});
  EXPECT_TRUE(world.has(announced));
  EXPECT_TRUE(world.has(first));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);
  EXPECT_EQ(world.send(announced), "duplicate: already have this event");
}

TEST(PolicyAnnouncements, AreRefusedWithAReason) {
  struct Row {
    nostr::WireEventPtr event;
    std::string answer;  // begins so
  };
  const std::string clone = "https://us.example/" + npub(1) + "/project.git";
  const auto one = [](const Rows& rows) { return event(1, 30617, kStart, tags(rows)); };
  const std::vector<Row> rows = {
      {one({{"clone", clone}}), "invalid: repository identifier is missing or empty"},
      {one({{"d", "a/b"}}), "invalid: repository identifier must not contain"},
      {one({{"d", ".."}}), "invalid: repository identifier must not be"},
      {one({{"d", "project"}, {"clone", clone}, {"clone", clone}, {"relays", "wss://us.example"}}),
       "invalid: "},
      {one({{"d", "project"}, {"clone", clone}}), kNotListed},
      {one({{"d", "project"}, {"relays", "wss://us.example"}}), kNotListed},
      {one({{"d", "project"}, {"clone", clone}, {"relays", "wss://us.example.evil"}}), kNotListed},
      {one({{"d", "project"},
            {"clone", "https://evil.example/?x=us.example"},
            {"relays", "wss://us.example"}}),
       kNotListed},
      {announcement(1, {.listed = false}), kNotListed},
  };
  World world;
  for (const Row& row : rows) {
    const std::string answer = world.send(row.event);
    EXPECT_EQ(answer.substr(0, row.answer.size()), row.answer);
    EXPECT_FALSE(world.is_open(1));
  }
}

TEST(PolicyAnnouncements, MeetTheOperatorsLists) {
  struct Row {
    std::string whitelist, blacklist, events;
    std::string answer;
  };
  const std::string at = npub(1) + "/project";
  const std::string not_in_whitelist =
      "blocked: Announcement lists service but does not match repository whitelist. Repository " +
      at + " not in whitelist";
  const std::vector<Row> rows = {
      {"", "", "", "purgatory"},
      {npub(1), "", "", "purgatory"},
      {at, "", "", "purgatory"},
      {"project", "", "", "purgatory"},
      {npub(2), "", "", not_in_whitelist},
      {"other", "", "", not_in_whitelist},
      {"", npub(2), "", "purgatory"},
      {"", npub(1), "", "blocked: Repository owner " + npub(1) + " is blacklisted"},
      {"", at, "", "blocked: Repository " + at + " is blacklisted"},
      {"", "project", "", "blocked: Repository identifier project is blacklisted"},
      {at, at, "", "blocked: Repository " + at + " is blacklisted"},
      {"", "", npub(1), "blocked: Event author " + npub(1) + " is blacklisted"},
  };
  for (const Row& row : rows) {
    PolicyOptions with = options();
    with.repository_whitelist = AccessList::parse(row.whitelist).list;
    with.repository_blacklist = AccessList::parse(row.blacklist).list;
    with.event_blacklist = AccessList::parse_authors(row.events).list;
    EXPECT_EQ(World(with).send(announcement(1)), row.answer);
  }
}

TEST(PolicyAnnouncements, OfTheOperatorPassTheEventBlacklistOnly) {
  PolicyOptions with = options();
  with.event_blacklist = AccessList::parse_authors(npub(kOperator)).list;
  EXPECT_EQ(World(with).send(announcement(kOperator)), "purgatory");
  EXPECT_TRUE(is_not_listed(World(with).send(announcement(kOperator, {.listed = false}))));
  with.repository_blacklist = AccessList::parse(npub(kOperator)).list;
  EXPECT_EQ(World(with).send(announcement(kOperator)),
            "blocked: Repository owner " + npub(kOperator) + " is blacklisted");
}

TEST(PolicyAnnouncements, ThatTheOperatorHasComeToRefuseAreOutOfServiceAfterARestart) {
  World before;
  const auto announced = before.serve(1);
  PolicyOptions with = options();
  with.repository_blacklist = AccessList::parse("project").list;
  Policy after(with, before.store());
  ASSERT_TRUE(after.load(kStart));
  EXPECT_FALSE(after.current().is_open(coordinate(1)));
  EXPECT_EQ(after.catalog().served_repos(), 0U);
}

TEST(PolicyAnnouncements, OfAServedRepositoryAreReplacedAtOnce) {  // R1
  World world;
  const auto before = world.serve(1, {.maintainers = {2}});
  EXPECT_EQ(world.send(state(2, 'c')), "purgatory");
  EXPECT_TRUE(world.may_rule(2, 1));

  const auto after = announcement(1, {.at = kStart + 1});
  EXPECT_EQ(world.send(after), "stored");
  EXPECT_FALSE(world.has(before));
  EXPECT_TRUE(world.is_open(1));
  EXPECT_FALSE(world.may_rule(2, 1));  // acceptance.md §4.7: with no git data at all
  EXPECT_EQ(world.send(state(2, 'd', kStart + 5)),
            "restricted: author not authorized for this repository");
  EXPECT_EQ(world.ruling(1), state(1)->event.id);  // acceptance.md §5.7
  EXPECT_EQ(world.performed.recheck.count(*Identifier::parse("project")), 1U);
}

TEST(PolicyAnnouncements, NeverComeBackInAnOlderVersion) {  // acceptance.md §4.3
  World world;
  const auto older = announcement(1, {.maintainers = {2}});
  const auto newer = announcement(1, {.at = kStart + 1});
  world.send(newer);
  EXPECT_EQ(world.send(older), kSuperseded);
  EXPECT_TRUE(world.holds(newer));
  EXPECT_FALSE(world.may_rule(2, 1));
}

TEST(PolicyAnnouncements, OfTheSameSecondAreOrderedByTheirIds) {
  auto low = announcement(1), high = announcement(1, {.more = {{"t", "x"}}});
  if (high->event.id < low->event.id) std::swap(low, high);
  World world;
  EXPECT_EQ(world.send(high), "purgatory");
  EXPECT_EQ(world.send(low), "purgatory");
  EXPECT_EQ(world.send(high), kSuperseded);
  EXPECT_TRUE(world.holds(low));
}

TEST(PolicyAnnouncements, ThatReplaceAWaitingOneGiveItsStatesTheFullTimeToo) {
  World world;
  const auto held = state(1);
  world.send(announcement(1));
  world.send(held);
  world.pass(29 * 60);
  world.send(announcement(1, {.at = kStart + 1}));
  world.pass(29 * 60);
  EXPECT_TRUE(world.holds(held));
  EXPECT_TRUE(world.is_open(1));
}

// --- maintainers who are elsewhere -----------------------------------------------------------

TEST(PolicyAnnouncements, OfMaintainersNeedNotListThisService) {
  World world;
  world.serve(1, {.maintainers = {2}});
  const auto guest = announcement(2, {.maintainers = {3}, .listed = false});
  EXPECT_EQ(world.send(guest), "stored");
  EXPECT_FALSE(world.is_open(2));     // no repository of its own
  EXPECT_TRUE(world.may_rule(3, 1));  // but the chain goes on
  EXPECT_EQ(world.send(announcement(3, {.listed = false})), "stored");
  EXPECT_TRUE(is_not_listed(world.send(announcement(4, {.listed = false}))));
}

TEST(PolicyAnnouncements, OfStrangersDoNotMakeEachOtherMaintainers) {  // acceptance.md §4.9
  World world;
  world.serve(1);
  EXPECT_TRUE(is_not_listed(world.send(announcement(5, {.maintainers = {6}, .listed = false}))));
  EXPECT_TRUE(is_not_listed(world.send(announcement(6, {.maintainers = {5}, .listed = false}))));
  // Somebody's other repository gives no right here.
  world.serve(7, {.identifier = "other", .maintainers = {5}});
  EXPECT_TRUE(is_not_listed(
      world.send(announcement(5, {.at = kStart + 1, .maintainers = {6}, .listed = false}))));
}

TEST(PolicyAnnouncements, OfGuestsAreServedNoSoonerThanTheirHost) {  // acceptance.md §4.9
  World world;
  const auto host = announcement(1, {.maintainers = {2}});
  const auto guest = announcement(2, {.maintainers = {3}, .listed = false});
  world.send(host);
  EXPECT_EQ(world.send(guest), "purgatory");
  EXPECT_FALSE(world.has(guest));
  EXPECT_TRUE(world.may_rule(3, 1));  // it counts at once
  EXPECT_EQ(world.send(guest), kDuplicate);

  const auto first = state(3);
  EXPECT_EQ(world.send(first), "purgatory");
  world.release({host, first});
  EXPECT_TRUE(world.has(guest));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_EQ(world.notes("purgatory/").size(), 0U);
}

TEST(PolicyAnnouncements, OfGuestsEndWithTheirTime) {
  World world;
  world.send(announcement(1, {.maintainers = {2}}));
  world.send(announcement(2, {.listed = false}));
  world.pass(30 * 60);
  world.pass(24 * 3600);
  EXPECT_EQ(world.known().purgatory().size(), 0U);
  EXPECT_FALSE(world.policy().catalog().knows(*Identifier::parse("project")));
  EXPECT_EQ(world.performed.asleep.size(), 1U);  // the host's repository, the guest has none
}

TEST(PolicyAnnouncements, OfMaintainersThatCameTooEarlyFollowTheirHost) {
  World world;
  const auto guest = announcement(2, {.listed = false});
  EXPECT_TRUE(is_not_listed(world.send(guest)));
  EXPECT_EQ(world.known().orphan_pool().size(), 1U);
  world.serve(1, {.maintainers = {2}});
  EXPECT_TRUE(world.has(guest));
  EXPECT_EQ(world.known().orphan_pool().size(), 0U);
}

TEST(PolicyAnnouncements, OfFormerMaintainersAreRefused) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.send(announcement(2, {.listed = false}));
  world.send(announcement(1, {.at = kStart + 1}));  // 2 is out
  EXPECT_TRUE(is_not_listed(world.send(announcement(2, {.at = kStart + 2, .listed = false}))));
}

TEST(PolicyAnnouncements, OfMaintainersWhoLeftBringThemBack) {
  const Rows left = {{"m", author(2).hex(), "100", "200"}, {"M", author(1).hex()}};
  World world;
  world.serve(1, {.more = {{"M", author(1).hex()}, {"m", author(2).hex()}}});
  const Rows active = {{"m", author(2).hex()}, {"M", author(1).hex()}};
  EXPECT_EQ(world.send(announcement(2, {.more = active, .listed = false})), "stored");
  EXPECT_TRUE(world.may_rule(2, 1));
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 1, .more = left, .listed = false})),
            "stored");
  EXPECT_FALSE(world.may_rule(2, 1));
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 2, .more = active, .listed = false})),
            "stored");
  EXPECT_TRUE(world.may_rule(2, 1));
}

TEST(PolicyAnnouncements, OfGuestsWhoComeHereAreServedAtOnce) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.send(announcement(2, {.listed = false}));
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 1})), "stored");
  EXPECT_TRUE(world.is_open(2));
}

TEST(PolicyAnnouncements, CountReciprocallyWhenTheOperatorSaysSo) {
  PolicyOptions with = options();
  with.membership = Membership::Reciprocal;
  World world(with);
  world.serve(1, {.maintainers = {2}});
  EXPECT_EQ(world.send(state(2, 'c')), "restricted: author not authorized for this repository");
  EXPECT_EQ(world.send(announcement(2, {.maintainers = {1}, .listed = false})), "stored");
  EXPECT_TRUE(world.may_rule(2, 1));
  EXPECT_TRUE(world.holds(state(2, 'c')));  // tried again by itself
}

// --- moving away -----------------------------------------------------------------------------

TEST(PolicyAnnouncements, ThatMoveAServedRepositoryElsewhereTakeItOutOfService) {  // R2
  World world;
  const auto here = world.serve(1);
  const auto away = announcement(1, {.at = kStart + 1, .listed = false});
  EXPECT_TRUE(is_not_listed(world.send(away)));
  EXPECT_FALSE(world.has(here));
  EXPECT_FALSE(world.has(away));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.send(here), kSuperseded);  // acceptance.md §12.1: no replay brings it back
  EXPECT_TRUE(is_not_listed(world.send(away)));

  world.restart();
  EXPECT_EQ(world.send(here), kSuperseded);
  world.pass(options().removal_grace);
  EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
}

TEST(PolicyAnnouncements, ThatMoveAwayDoSoThoughTheServerDiesAtOnce) {
  World world;
  const auto here = world.serve(1);
  world.send_last(announcement(1, {.at = kStart + 1, .listed = false}));
  EXPECT_EQ(world.send(here), kSuperseded);
  world.pass(options().removal_grace);
  EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
}

TEST(PolicyAnnouncements, ThatMoveAwayDoNotConsultTheMaintainerException) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.serve(2);
  EXPECT_TRUE(is_not_listed(world.send(announcement(2, {.at = kStart + 1, .listed = false}))));
  EXPECT_FALSE(world.is_open(2));
  EXPECT_TRUE(world.may_rule(2, 1));
}

TEST(PolicyAnnouncements, ThatMoveBackFindTheirDataWithinTheGracePeriod) {
  World world;
  world.serve(1);
  world.send(announcement(1, {.at = kStart + 1, .listed = false}));
  const auto back = announcement(1, {.at = kStart + 2});
  EXPECT_EQ(world.send(back), "purgatory");
  EXPECT_TRUE(world.is_open(1));
  EXPECT_EQ(world.ruling(1), state(1)->event.id);  // so it can be released with no push
  world.release({back});
  EXPECT_EQ(world.notes("removal/").size(), 0U);
  world.pass(options().removal_grace);
  EXPECT_TRUE(world.performed.purge.empty());
}

TEST(PolicyAnnouncements, ThatMoveAWaitingRepositoryElsewhereEndTheWaiting) {
  World world;
  const auto here = announcement(1);
  world.send(here);
  world.send(state(1));
  EXPECT_TRUE(is_not_listed(world.send(announcement(1, {.at = kStart + 1, .listed = false}))));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.send(here), kSuperseded);
  world.pass(1);
  EXPECT_EQ(world.performed.purge, std::vector{coordinate(1)});
}

TEST(PolicyAnnouncements, ThatMoveAwayWhileWaitingMayStillBeAMaintainers) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.send(announcement(2));
  const auto away = announcement(2, {.at = kStart + 1, .listed = false});
  EXPECT_EQ(world.send(away), "stored");
  EXPECT_FALSE(world.is_open(2));
  world.pass(1);  // the empty repository of the first goes, whatever the guest says
  EXPECT_EQ(world.performed.purge, std::vector{coordinate(2)});
}

TEST(PolicyAnnouncements, OlderThanTheServedOneMoveNothing) {
  World world;
  const auto here = world.serve(1);
  EXPECT_EQ(world.send(announcement(1, {.at = kStart - 1, .listed = false})), kSuperseded);
  EXPECT_TRUE(world.has(here));
  EXPECT_TRUE(world.is_open(1));
}

TEST(PolicyAnnouncements, OfOthersOfTheSameNameStayWhenOneMovesAway) {  // acceptance.md §1
  World world;
  world.serve(1);
  world.serve(2);
  const auto waiting = state(2, 'c', kStart + 1);
  world.send(waiting);
  world.send(announcement(1, {.at = kStart + 1, .listed = false}));
  EXPECT_TRUE(world.holds(waiting));
  EXPECT_TRUE(world.is_open(2));
}

}  // namespace policy_announcements_test
}  // namespace graspd::grasp
