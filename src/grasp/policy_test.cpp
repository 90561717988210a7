#include "grasp/policy.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_test {

using namespace testing;

const std::string kUnrelated =
    "restricted: Event must reference an accepted repository or accepted event";
const std::string kUnrelatedPull =
    "restricted: PR event must reference an accepted repository or accepted event";

std::string stranger(int kind) {
  return fmt::format("restricted: Kind {} author must participate in an accepted repository thread",
                     kind);
}

nostr::WireEventPtr note(std::uint32_t by, const Rows& rows, std::uint16_t kind = 1111) {
  return event(by, kind, kStart, tags(rows));
}

TEST(Policy, TakesWhatSpeaksOfAnAcceptedRepository) {  // R4
  World world;
  world.serve(1, {.identifier = "a:b"});
  const std::string here = address(1, "a:b"), there = address(2, "a:b");
  const std::vector<std::pair<std::vector<std::string>, bool>> rows = {
      {{"a", here}, true},
      {{"A", here, "", "root"}, true},
      {{"q", here}, true},
      {{"a", there}, false},
      {{"a", address(1, "a")}, false},  // only the first two colons separate
      {{"p", author(1).hex()}, false},
      {{"d", here}, false},
      {{"a", "30618:" + author(1).hex() + ":a:b"}, true},
      {{"a", "30618:" + author(2).hex() + ":a:b"}, false},
  };
  for (const auto& [row, taken] : rows)
    for (const std::uint16_t kind : {1111, 1, 1617, 1621, 1630, 1633})
      EXPECT_EQ(world.send(note(9, {row}, kind)), taken ? "stored" : kUnrelated) << row[0] << kind;
}

TEST(Policy, CombinesNoTwoTagsIntoAnAddress) {  // acceptance.md §3.1
  World world;
  world.serve(1);
  const std::string kind = "30617:", mine = author(1).hex(), theirs = author(2).hex();
  EXPECT_EQ(world.send(note(9, {{"a", kind + mine + ":other"}, {"a", kind + theirs + ":project"}})),
            kUnrelated);
}

TEST(Policy, TakesWhatSpeaksOfAnAcceptedEventHoweverLongTheChain) {
  World world;
  world.serve(1);
  auto at = note(9, {{"a", address(1)}}, 1621);
  EXPECT_EQ(world.send(at), "stored");
  for (const char* name : {"e", "E", "q", "e"}) {
    at = note(10, {{name, at->event.id.hex()}}, 1);
    EXPECT_EQ(world.send(at), "stored");
  }
  EXPECT_EQ(world.send(note(9, {{"e", std::string(64, 'f')}})), kUnrelated);
}

TEST(Policy, TakesWhatAnAcceptedEventSpeaksOf) {
  World world;
  world.serve(1);
  const auto by_id = note(9, {}, 1), by_address = note(9, {{"d", "guide"}}, 30023);
  const auto list = note(9, {}, 10003);
  const Rows named = {{"a", address(1)},
                      {"q", by_id->event.id.hex()},
                      {"a", "30023:" + author(9).hex() + ":guide"},
                      {"q", "10003:" + author(9).hex() + ":"}};
  EXPECT_EQ(world.send(by_id), kUnrelated);
  EXPECT_EQ(world.send(note(10, named)), "stored");
  EXPECT_TRUE(world.has(by_id));  // it waited for that
  EXPECT_EQ(world.send(by_address), "stored");
  EXPECT_EQ(world.send(list), "stored");
}

TEST(Policy, LetsEventsOfOneBatchLeanOnEachOther) {  // R6
  World world;
  world.serve(1);
  const auto issue = note(9, {{"a", address(1)}}, 1621);
  const auto comment = note(10, {{"e", issue->event.id.hex()}});
  const auto answer = note(9, {{"e", comment->event.id.hex()}});
  EXPECT_EQ(world.send_together({issue, comment, answer}),
            (std::vector<std::string>{"stored", "stored", "stored"}));
}

TEST(Policy, BringsEventsThatCameBackwardsIntoOrder) {
  World world;
  world.serve(1);
  const auto issue = note(9, {{"a", address(1)}}, 1621);
  const auto comment = note(10, {{"e", issue->event.id.hex()}});
  const auto answer = note(9, {{"e", comment->event.id.hex()}});
  EXPECT_EQ(world.send_together({answer, comment, issue}),
            (std::vector<std::string>{kUnrelated, kUnrelated, "stored"}));
  EXPECT_TRUE(world.has(comment));
  EXPECT_TRUE(world.has(answer));
  EXPECT_EQ(world.known().orphan_pool().size(), 0U);
}

TEST(Policy, AnchorsNothingInWhatAnybodyMayPublish) {  // acceptance.md §3.3
  World world;
  world.serve(1);
  const Events open = {event(9, 10317, kStart, tags({{"g", "wss://us.example"}})),
                       deletion(9, {{"e", std::string(64, 'f')}}),
                       event(9, 62, kStart, tags({{"relay", "wss://elsewhere.example"}}))};
  for (const auto& anchor : open) {
    EXPECT_EQ(world.send(anchor), "stored");
    EXPECT_EQ(world.send(note(9, {{"e", anchor->event.id.hex()}})), kUnrelated);
  }
  EXPECT_EQ(world.send(note(9, {{"a", "10317:" + author(9).hex() + ":"}})), kUnrelated);
  // Nor is what they name tied to anything.
  const auto named = note(8, {}, 1);
  EXPECT_EQ(world.send(event(9, 10317, kStart + 1, tags({{"e", named->event.id.hex()}}))),
            "stored");
  EXPECT_EQ(world.send(deletion(9, {{"e", named->event.id.hex()}}, kStart + 1)), "stored");
  EXPECT_EQ(world.send(named), kUnrelated);
}

TEST(Policy, DoesNotCountWhatWaitsAsAccepted) {
  World world;
  const auto issue = note(9, {{"a", address(1)}}, 1621);
  const auto announced = announcement(1), first = state(1);
  world.send(announced);
  EXPECT_EQ(world.send(issue), kUnrelated);
  world.send(first);
  world.release({announced, first});
  EXPECT_TRUE(world.has(issue));

  const auto pull = pull_request(9, 1);
  const auto comment = note(10, {{"E", pull->event.id.hex()}});
  EXPECT_EQ(world.send(pull), "purgatory");
  EXPECT_EQ(world.send(comment), kUnrelated);
  world.release({pull});
  EXPECT_TRUE(world.has(comment));
}

TEST(Policy, ForgetsTheWaitingAfterAWhile) {
  World world;
  const auto issue = note(9, {{"a", address(1)}}, 1621);
  EXPECT_EQ(world.send(issue), kUnrelated);
  world.pass(7 * 24 * 3600);
  world.serve(1);
  EXPECT_FALSE(world.has(issue));
}

TEST(Policy, TakesProfilesOfThoseWhoTakePart) {
  for (const std::uint16_t kind : {0, 10002}) {
    World world;
    const auto of = [&](std::uint32_t who) { return event(who, kind, kStart); };
    const Events early = {of(1), of(2), of(3), of(4)};
    for (const auto& profile : early) EXPECT_EQ(world.send(profile), stranger(kind));
    world.send(announcement(1, {.maintainers = {2}}));
    EXPECT_FALSE(world.has(early[0]));  // not before the repository is accepted
    world.send(state(1));
    world.release({announcement(1, {.maintainers = {2}}), state(1)});
    EXPECT_TRUE(world.has(early[0]));
    EXPECT_TRUE(world.has(early[1]));
    EXPECT_FALSE(world.has(early[2]));
    world.send(note(3, {{"a", address(1)}}, 1621));
    EXPECT_TRUE(world.has(early[2]));
    EXPECT_EQ(world.send(of(kOperator)), "stored");

    world.send(event(4, 10317, kStart));  // a list is no participation
    EXPECT_EQ(world.send(of(4)), stranger(kind));
  }
}

TEST(Policy, TakesWhateverTheOperatorWrites) {
  World world;
  EXPECT_EQ(world.send(event(kOperator, 1, kStart)), "stored");
  EXPECT_EQ(world.send(state(kOperator)), "invalid: no announcement exists for this repository");
}

TEST(Policy, RefusesTheEventBlacklistWhateverTheKind) {
  PolicyOptions with = options();
  with.event_blacklist = AccessList::parse_authors(nostr::nip19::npub(author(9))).list;
  World world(with);
  world.serve(1);
  for (const std::uint16_t kind : {0, 1, 5, 62, 1618, 10317, 20001, 30618})
    EXPECT_EQ(world.send(event(9, kind, kStart, tags({{"a", address(1)}}))),
              "blocked: Event author " + nostr::nip19::npub(author(9)) + " is blacklisted");
}

TEST(Policy, PassesEphemeralEventsOn) {
  Transition changes;
  World world;
  EXPECT_TRUE(std::holds_alternative<Take>(
      world.policy().decide(event(9, 20001, kStart), {}, kStart, changes)));
}

TEST(Policy, TakesNothingWhoseTimeHasCome) {
  World world;
  world.serve(1);
  EXPECT_EQ(world.send(note(9, {{"a", address(1)}, {"expiration", "999999"}})),
            "blocked: event is expired");
}

// --- pull requests ---------------------------------------------------------------------------

TEST(PolicyPulls, WaitForTheirCommit) {  // R3
  World world;
  world.serve(1);
  const auto pull = pull_request(9, 1);
  EXPECT_EQ(world.send(pull), "purgatory");
  EXPECT_FALSE(world.has(pull));
  EXPECT_EQ(world.send(pull), "duplicate: in purgatory");
  world.release({pull});
  EXPECT_TRUE(world.has(pull));
  EXPECT_EQ(world.send(pull), "duplicate: already have this event");
  const auto update = event(
      9, 1619, kStart, tags({{"a", address(1)}, {"E", pull->event.id.hex()}, {"c", oid('d')}}));
  EXPECT_EQ(world.send(update), "purgatory");
  EXPECT_EQ(world.notes("purgatory/").size(), 1U);
}

TEST(PolicyPulls, AreRefusedWithAReason) {
  World world;
  world.serve(1);
  const auto without = event(9, 1618, kStart, tags({{"a", address(1)}}));
  EXPECT_EQ(world.send(without),
            "invalid: PR event " + without->event.id.hex() + " has no 'c' tag");
  EXPECT_EQ(world.send(pull_request(9, 2)), kUnrelatedPull);
  EXPECT_EQ(world.send(event(9, 1619, kStart, tags({{"c", oid('b')}}))), kUnrelatedPull);
}

TEST(PolicyPulls, ForARepositoryThatWaitsComeAgainByThemselves) {
  World world;
  const auto announced = announcement(1), first = state(1), pull = pull_request(9, 1);
  world.send(announced);
  EXPECT_EQ(world.send(pull), kUnrelatedPull);
  world.send(first);
  world.release({announced, first});
  EXPECT_TRUE(world.holds(pull));
}

TEST(PolicyPulls, WithJunkForACommitOnlyWait) {  // acceptance.md §7.1
  World world;
  world.serve(1);
  const auto junk = event(9, 1618, kStart, tags({{"a", address(1)}, {"c", "--upload-pack=x"}}));
  EXPECT_EQ(world.send(junk), "purgatory");
  EXPECT_FALSE(world.known().purgatory().pull(junk->event.id)->pull.commit);
}

TEST(PolicyPulls, ConcernTheServedRepositoriesOfThoseTheyName) {
  World world;
  world.serve(1, {.maintainers = {2}});
  world.serve(2);
  world.serve(3);
  world.send(announcement(4, {.maintainers = {2}}));  // waits
  const auto repos = [&](std::uint32_t owner) {
    return world.known().repos_of(parse_pull_request(pull_request(9, owner)->event));
  };
  EXPECT_EQ(repos(1), std::vector{coordinate(1)});
  EXPECT_EQ(repos(2), (std::vector{coordinate(1), coordinate(2)}));
  EXPECT_EQ(repos(3), std::vector{coordinate(3)});
  EXPECT_TRUE(repos(4).empty());
}

TEST(PolicyPulls, EndWithTheirTime) {
  World world;
  world.serve(1);
  const auto pull = pull_request(9, 1);
  world.send(pull);
  world.pass(30 * 60);
  EXPECT_FALSE(world.holds(pull));
  EXPECT_EQ(world.send(pull, true), "invalid: previously expired from purgatory without git data");
  EXPECT_EQ(world.send(pull), "purgatory");
}

TEST(PolicyPulls, ThatCouldNotBeWrittenDoNotWait) {
  World world;
  world.serve(1);
  world.send_in_vain(pull_request(9, 1));
  EXPECT_EQ(world.known().purgatory().size(), 0U);
}

TEST(PolicyPulls, FromPeersThatAPersonBringsTooHaveTheFullTime) {
  World world;
  world.serve(1);
  const auto pull = pull_request(9, 1);
  world.send(pull, true);
  world.pass(20 * 60);
  EXPECT_EQ(world.send(pull), "duplicate: in purgatory");
  world.pass(20 * 60);
  EXPECT_TRUE(world.holds(pull));
}

}  // namespace policy_test
}  // namespace graspd::grasp
