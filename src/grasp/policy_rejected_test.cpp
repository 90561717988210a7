#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_rejected_test {

using namespace testing;

nostr::WireEventPtr about(std::uint32_t by, const std::string& repository,
                          std::uint16_t kind = 1621) {
  return event(by, kind, kStart, tags({{"a", repository}}));
}
nostr::WireEventPtr big(std::uint32_t by, const std::string& repository) {
  return event(by, 1621, kStart, tags({{"a", repository}}), std::string(150'000, 'x'));
}

class Seen {
 public:
  explicit Seen(World& world) : world_(world) {}
  bool knows(const nostr::WireEventPtr& wire) const { return world_.known().knows(wire->event.id); }
  bool is_rejected(const nostr::WireEventPtr& wire) const {
    return world_.known().rejected().contains(wire->event.id);
  }
  std::optional<Reason> reason(const nostr::WireEventPtr& wire) const {
    const Rejected* entry = world_.known().rejected().find(wire->event.id);
    return entry ? std::optional(entry->reason) : std::nullopt;
  }
  std::vector<nostr::EventId> wanted() const {
    const auto at = world_.performed.wanted_again.find(*world_.relay);
    return at == world_.performed.wanted_again.end() ? std::vector<nostr::EventId>() : at->second;
  }

 private:
  World& world_;
};

// A server that has run before: its rules are written down.
struct SettledWorld : World {
  explicit SettledWorld(PolicyOptions with = options()) : World(std::move(with)) {
    restart();
    pass(0);
  }
};

TEST(PolicyRejected, RemembersWhatPeersSentInVain) {  // R6
  SettledWorld world;
  Seen seen(world);
  world.serve(1);
  const auto bad = event(9, 30617, kStart, tags({{"name", "no d"}}));
  const auto elsewhere = announcement(2, {.identifier = "other", .listed = false});
  const auto foreign = state(3), lonely = about(9, address(7));
  const auto expired = event(9, 1, kStart, tags({{"expiration", "5"}}));
  for (const auto& wire : {bad, elsewhere, foreign, lonely, expired}) world.send(wire, true);
  EXPECT_EQ(seen.reason(bad), Reason::Invalid);
  EXPECT_EQ(seen.reason(elsewhere), Reason::Lacking);
  EXPECT_EQ(seen.reason(foreign), Reason::Lacking);
  EXPECT_EQ(seen.reason(lonely), Reason::Lacking);
  EXPECT_EQ(seen.reason(expired), Reason::Expired);
  for (const auto& wire : {bad, elsewhere, foreign, lonely, expired}) EXPECT_TRUE(seen.knows(wire));
  EXPECT_EQ(world.known().rejected_meter().cold_current, (PerType{2, 1, 2}));
  EXPECT_EQ(world.known().rejected_meter().hot_current, (PerType{1, 1, 1}));
}

TEST(PolicyRejected, RemembersWhatTheStoreWillNotHave) {  // R6
  SettledWorld world;
  Seen seen(world);
  const auto older = event(9, 10317, kStart - 1), newer = event(9, 10317, kStart);
  const auto unwanted = event(8, 10317, kStart);
  world.send(newer);
  world.send(older, true);
  EXPECT_EQ(seen.reason(older), Reason::Superseded);
  world.send(deletion(8, {{"e", unwanted->event.id.hex()}}));
  world.send(unwanted, true);
  EXPECT_EQ(seen.reason(unwanted), Reason::Deleted);

  // Decided before the newer one was stored.
  const auto first = event(7, 10317, kStart - 1), second = event(7, 10317, kStart);
  world.send_together({second, first}, true);
  EXPECT_EQ(seen.reason(first), Reason::Superseded);
  EXPECT_FALSE(seen.is_rejected(second));
}

TEST(PolicyRejected, DoesNotRememberWhatPeopleSendNorWhatMayComeAgain) {
  PolicyOptions with = options();
  with.purgatory.events_per_author_max = 1;
  SettledWorld world(with);
  Seen seen(world);
  world.serve(1);
  const auto issue = about(9, address(7));
  world.send(issue);
  EXPECT_TRUE(seen.knows(issue));  // it waits
  EXPECT_FALSE(seen.is_rejected(issue));
  const auto one = pull_request(9, 1, 'b'), two = pull_request(9, 1, 'c');
  world.send(one, true);
  EXPECT_TRUE(seen.knows(one));
  EXPECT_EQ(world.send(two, true).substr(0, 12), "rate-limited");
  EXPECT_FALSE(seen.knows(two));
}

TEST(PolicyRejected, AnswersNobodyFromMemory) {  // R6
  SettledWorld world;
  Seen seen(world);
  const auto elsewhere = announcement(2, {.listed = false});
  const auto first = world.send(elsewhere, true);
  EXPECT_EQ(world.send(elsewhere), first);
  world.serve(1);
  const auto pull = pull_request(9, 1);
  world.send(pull, true);
  world.pass(30 * 60);
  EXPECT_EQ(seen.reason(pull), Reason::Abandoned);
  EXPECT_EQ(world.send(pull), "purgatory");
  EXPECT_FALSE(seen.is_rejected(pull));
  EXPECT_TRUE(seen.knows(pull));
}

TEST(PolicyRejected, ForgetsWhatLackedWhatHasCome) {  // R6
  SettledWorld world;
  Seen seen(world);
  const auto kept = about(9, address(1)), too_big = big(9, address(1));
  const auto unrelated = big(9, address(2));
  const auto guest = announcement(3, {.listed = false});
  for (const auto& wire : {kept, too_big, unrelated, guest}) world.send(wire, true);
  world.serve(1, {.maintainers = {3}});
  EXPECT_TRUE(world.has(kept));
  EXPECT_TRUE(world.has(guest));
  EXPECT_FALSE(seen.is_rejected(kept) || seen.is_rejected(guest));
  EXPECT_FALSE(seen.knows(too_big));  // it may come
  EXPECT_TRUE(seen.knows(unrelated));
  EXPECT_EQ(seen.wanted(), std::vector{too_big->event.id});
  const RejectedMeter meter = world.known().rejected_meter();
  EXPECT_EQ(meter.invalidated, (PerType{1, 0, 2}));
  EXPECT_EQ(meter.hot_misses, (PerType{0, 0, 1}));
  EXPECT_EQ(meter.hot_hits[2], 1U);
  EXPECT_GE(meter.hot_hits[0], 1U);
}

TEST(PolicyRejected, TriesAgainAsItCame) {
  SettledWorld world;
  const auto early = state(2, 'b');
  world.send(early, true);
  world.serve(1, {.maintainers = {2}});
  ASSERT_TRUE(world.holds(early));
  EXPECT_TRUE(world.known().purgatory().state({author(2), *Identifier::parse("project")})->synced);
  ASSERT_GE(world.performed.retry.size(), 1U);
  EXPECT_EQ(*world.performed.retry[0].origin.relay, *world.relay);
}

TEST(PolicyRejected, IsNotInTheWayOfWhatIsTriedAgain) {
  SettledWorld world;
  Transition changes;
  const auto early = state(2, 'b');
  world.policy().decide(early, {true, world.relay}, world.now, changes);
  EXPECT_TRUE(world.known().knows(early->event.id));
  world.policy().decide(announcement(2), {}, world.now, changes);
  ASSERT_EQ(changes.all<Retry>().size(), 1U);
  EXPECT_FALSE(world.known().knows(early->event.id));
  world.policy().put_off(early->event.id);
  changes = {};
  world.policy().expire(world.now, changes);
  EXPECT_EQ(changes.all<Retry>().size(), 1U);
}

TEST(PolicyRejected, RetriesSoManyAtOnceAndTheRestSoon) {
  SettledWorld world;
  const auto issue = about(9, address(1));
  Transition before, at_once, soon;
  for (std::uint32_t who = 100; who < 700; ++who)
    world.policy().decide(event(who, 1111, kStart, tags({{"e", issue->event.id.hex()}})), {},
                          kStart, before);
  world.policy().settled(issue, store::Outcome::Stored, kStart, at_once);
  EXPECT_EQ(at_once.all<Retry>().size(), 512U);
  world.policy().expire(kStart, soon);
  EXPECT_EQ(soon.all<Retry>().size(), 88U);
}

TEST(PolicyRejected, WantsTheOlderVersionWhenTheNewerOneIsGivenUp) {
  SettledWorld world;
  Seen seen(world);
  world.serve(1);
  const auto older = state(1, 'b', kStart + 1), newer = state(1, 'c', kStart + 2);
  world.send(newer, true);
  world.send(older, true);
  EXPECT_EQ(seen.reason(older), Reason::Superseded);
  world.pass(30 * 60);
  EXPECT_EQ(seen.reason(newer), Reason::Abandoned);
  EXPECT_FALSE(seen.knows(older));
  EXPECT_EQ(seen.wanted(), std::vector{older->event.id});
}

TEST(PolicyRejected, KnowsTheSameAfterARestart) {
  SettledWorld world;
  Seen seen(world);
  const auto issue = about(9, address(1)), too_big = big(9, address(1));
  const auto guest = announcement(3, {.listed = false});
  for (const auto& wire : {issue, too_big, guest}) world.send(wire, true);
  world.restart();
  world.pass(5);
  for (const auto& wire : {issue, too_big, guest}) EXPECT_TRUE(seen.knows(wire));
  EXPECT_EQ(world.known().orphan_pool().size(), 2U);
  world.restart();
  world.serve(1, {.maintainers = {3}});
  EXPECT_TRUE(world.has(issue));
  EXPECT_TRUE(world.has(guest));
  EXPECT_EQ(seen.wanted(), std::vector{too_big->event.id});
  world.restart();
  EXPECT_FALSE(seen.knows(too_big));
  EXPECT_EQ(world.notes("waiting/").size() + world.notes("rejected/").size(), 0U);
}

TEST(PolicyRejected, TriesAgainAfterARestartWhatACrashLeft) {
  SettledWorld world;
  const auto issue = about(9, address(1));
  world.send(issue, true);
  Transition left;
  OrphanPool().admit({issue, {}, kStart, lacks_of(issue->event)}, left);
  world.serve(1);
  ASSERT_TRUE(world.has(issue));
  const auto comment = event(8, 1111, kStart, tags({{"e", issue->event.id.hex()}}));
  OrphanPool().admit({comment, {}, kStart, lacks_of(comment->event)}, left);
  auto notes = left.all<store::Note>();
  notes.back().key.back() = '2';
  ASSERT_TRUE(world.store().write({{}, {}, notes}, kStart));
  world.restart();
  EXPECT_EQ(world.known().orphan_pool().size(), 1U);  // the issue is stored
  world.pass(5);
  EXPECT_TRUE(world.has(comment));
  EXPECT_EQ(world.notes("waiting/").size(), 0U);
}

TEST(PolicyRejected, ForgetsEverythingWhenTheOperatorChangesTheRules) {
  store::MemoryStore store;
  PolicyOptions strict = options();
  strict.repository_blacklist = AccessList::parse(nostr::nip19::npub(author(1))).list;
  const auto run = [&](const PolicyOptions& with, const nostr::WireEventPtr& send) {
    Policy policy(with, store);
    Transition changes;
    EXPECT_TRUE(policy.load(kStart));
    policy.expire(kStart, changes);
    if (send) policy.decide(send, {true, nullptr}, kStart, changes);
    EXPECT_TRUE(store.write({{}, {}, changes.all<store::Note>()}, kStart));
    return policy.current().rejected().size();
  };
  EXPECT_EQ(run(strict, announcement(1)), 1U);
  EXPECT_EQ(run(strict, nullptr), 1U);
  EXPECT_EQ(run(options(), nullptr), 0U);
  EXPECT_EQ(run(strict, nullptr), 0U);
}

TEST(Policy, FollowsListsThatChangeWhileItRuns) {  // R7
  SettledWorld world;
  Seen seen(world);
  const auto listed = [](std::uint32_t number) {
    return AccessList::parse(nostr::nip19::npub(author(number))).list;
  };
  EXPECT_EQ(world.send(announcement(1)), "purgatory");
  world.policy().use({.repository_blacklist = listed(2), .event_blacklist = listed(3)});
  const auto refused = announcement(2);
  EXPECT_TRUE(world.send(refused, true).starts_with("blocked: Repository owner"));
  EXPECT_TRUE(world.send(announcement(3)).starts_with("blocked: Event author"));
  EXPECT_TRUE(seen.is_rejected(refused));
  world.policy().use({.repository_blacklist = listed(2), .event_blacklist = listed(3)});
  EXPECT_TRUE(seen.is_rejected(refused)) << "equal lists change nothing";
  world.policy().use({});
  EXPECT_FALSE(seen.is_rejected(refused)) << "it may come again";
  EXPECT_EQ(world.send(refused, true), "purgatory");
}

TEST(PolicyRejected, LetsGoOfWhatItsAuthorDeletes) {
  SettledWorld world;
  const auto one = about(9, address(7)), two = about(9, address(8)), other = about(5, address(7));
  for (const auto& wire : {one, two, other}) world.send(wire);
  world.send(deletion(9, {{"e", one->event.id.hex()}, {"e", other->event.id.hex()}}));
  EXPECT_EQ(world.known().orphan_pool().events(), (Events{two, other}));
  world.send(event(9, 62, kStart, tags({{"relay", "ALL_RELAYS"}})));
  EXPECT_EQ(world.known().orphan_pool().events(), Events{other});
  EXPECT_EQ(world.notes("waiting/").size(), 1U);
}

TEST(PolicyRejected, ForgetsAfterACrashWhatLackedWhatIsServed) {
  SettledWorld world;
  Seen seen(world);
  const auto guest = announcement(3, {.listed = false});
  world.serve(1, {.maintainers = {3}});
  Transition left;
  RejectedIds().add(guest->event, Reason::Lacking, nullptr, lacks_of(guest->event), kStart, left);
  ASSERT_TRUE(world.store().write({{}, {}, left.all<store::Note>()}, kStart));
  world.restart();
  EXPECT_TRUE(seen.is_rejected(guest));
  world.pass(5);
  EXPECT_FALSE(seen.is_rejected(guest));
}

TEST(PolicyRejected, ShowsAllThatIsKeptWhole) {
  SettledWorld world;
  world.serve(1);
  const auto held = announcement(2), waiting = about(9, address(7)), pull = pull_request(9, 1);
  for (const auto& wire : {held, waiting, pull}) world.send(wire);
  std::set<nostr::EventId> kept, expected;
  for (const auto& wire : world.known().kept_events()) kept.insert(wire->event.id);
  for (const auto& wire : {held, waiting, pull}) expected.insert(wire->event.id);
  EXPECT_EQ(kept, expected);
  for (const auto& id : expected) EXPECT_TRUE(world.known().knows(id));
}

TEST(PolicyRejected, KeepsRefusedEventsWholeAtLeastAsLongAsToldTo) {
  PolicyOptions with = options();
  with.orphan_pool.patience = 10;
  with.rejected_whole = 100;
  SettledWorld world(with);
  world.send(about(9, address(7)));
  world.pass(99);
  EXPECT_EQ(world.known().orphan_pool().size(), 1U);
  world.pass(1);
  EXPECT_EQ(world.known().orphan_pool().size(), 0U);
}

}  // namespace policy_rejected_test
}  // namespace graspd::grasp
