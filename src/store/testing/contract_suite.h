// What every backend has to pass: include it in the backend's test and instantiate StoreContract.
#pragma once
#include <gtest/gtest.h>

#include "store/testing/contract_fixture.h"
#include "store/testing/contract_random.h"

namespace graspd::store::testing {

TEST_P(StoreContract, GivesSerialsInOrderAndNeverAgain) {  // W2
  const auto gone = event(1, 1, 10);
  const Write batch[] = {{event(1, 1, 9)}, {gone}};
  const auto written = store_->write(batch, kNow);
  ASSERT_TRUE(written);
  EXPECT_EQ((*written)[0].serial, 1u);
  EXPECT_EQ((*written)[1].serial, 2u);
  EXPECT_EQ(store_->newest(), 2u);

  const auto deletion = event(1, 5, 11, {{"e", gone->event.id.hex()}});
  const Write next[] = {{deletion}};
  EXPECT_EQ((*store_->write(next, kNow))[0].serial, 3u);
  EXPECT_EQ((*store_->snapshot())->size(), 2u);
}

TEST_P(StoreContract, TakesEventsOutOfServiceUntilTheyComeAgain) {  // W9
  const auto note = event(1, 1, 10);
  ASSERT_EQ(write(note), Outcome::Stored);
  const nostr::EventId removals[] = {note->event.id, nostr::EventId{}};
  ASSERT_TRUE(store_->write(Batch{{}, removals}, kNow));
  EXPECT_FALSE(has(note));
  EXPECT_EQ(write(note), Outcome::Stored);
}

TEST_P(StoreContract, KeepsAndErasesNotesWithTheBatch) {  // W10
  const Note kept[] = {{"a/2", "two"}, {"a/1", "one"}, {"b/1", std::string("\0x", 2)}};
  ASSERT_TRUE(store_->write(Batch{{}, {}, kept}, kNow));
  const Note changed[] = {{"a/2", std::nullopt}, {"a/1", "uno"}, {"c", std::nullopt}};
  ASSERT_TRUE(store_->write(Batch{{}, {}, changed}, kNow));
  std::vector<std::string> found;
  ASSERT_TRUE((*store_->snapshot())->notes("a/", [&](auto key, auto value) {
    found.push_back(std::string(key) + "=" + std::string(value));
  }));
  EXPECT_EQ(found, std::vector<std::string>{"a/1=uno"});
  std::size_t all = 0;
  ASSERT_TRUE((*store_->snapshot())->notes("", [&](auto, auto) { ++all; }));
  EXPECT_EQ(all, 2u);
}

TEST_P(StoreContract, TellsBeforehandWhatItWouldSay) {  // W8
  const auto note = event(1, 1, 10);
  const auto outcome = [&] { return *(*store_->snapshot())->judge(*note, kNow); };
  EXPECT_EQ(outcome(), Outcome::Stored);
  write(note);
  EXPECT_EQ(outcome(), Outcome::Duplicate);
  write(event(1, 5, 11, {{"e", note->event.id.hex()}}));
  EXPECT_EQ(outcome(), Outcome::Deleted);
}

TEST_P(StoreContract, KnowsWhatItHas) {
  const auto note = event(1, 1, 10);
  EXPECT_EQ(write(note), Outcome::Stored);
  EXPECT_EQ(write(note), Outcome::Duplicate);
  const auto snapshot = store_->snapshot();
  EXPECT_TRUE((*snapshot)->contains(note->event.id));
  EXPECT_EQ((*snapshot)->find_json(note->event.id), note->json);
  EXPECT_EQ((*snapshot)->find_json(event(1, 1, 11)->event.id), std::nullopt);
}

TEST_P(StoreContract, KeepsTheNewestVersionOfAReplaceableEvent) {  // W3
  const auto first = event(1, 10002, 10), second = event(1, 10002, 20), late = event(1, 10002, 15);
  EXPECT_EQ(write(first), Outcome::Stored);
  EXPECT_EQ(write(second), Outcome::Stored);
  EXPECT_EQ(write(late), Outcome::Superseded);
  EXPECT_EQ(read(by(1)), ids({second}));
  EXPECT_EQ(write(event(2, 10002, 5)), Outcome::Stored);
}

TEST_P(StoreContract, KeepsOneVersionPerIdentifierOfAnAddressableEvent) {  // W3
  const auto a = event(1, 30617, 10, {{"d", "a"}}), b = event(1, 30617, 11, {{"d", "b"}});
  const auto newer = event(1, 30617, 12, {{"d", "a"}});
  for (const auto& one : {a, b, newer}) EXPECT_EQ(write(one), Outcome::Stored);
  EXPECT_EQ(read(by(1)), ids({newer, b}));
}

TEST_P(StoreContract, TheFirstIdentifierCountsEvenWithoutAValue) {  // W3
  const auto bare = event(1, 30617, 10, {{"d"}, {"d", "x"}}), empty = event(1, 30617, 11, {});
  EXPECT_EQ(write(bare), Outcome::Stored);
  EXPECT_EQ(write(empty), Outcome::Stored);
  EXPECT_FALSE(has(bare));
}

TEST_P(StoreContract, InTheSameSecondTheLowerIdWins) {  // W3
  auto low = event(1, 0, 10, {}, "a"), high = event(1, 0, 10, {}, "b");
  if (high->event.id < low->event.id) std::swap(low, high);
  EXPECT_EQ(write(high), Outcome::Stored);
  EXPECT_EQ(write(low), Outcome::Stored);
  EXPECT_EQ(write(high), Outcome::Superseded);
}

TEST_P(StoreContract, DeletesByIdWhatTheAuthorWrote) {  // W4
  const auto own = event(1, 1, 10), foreign = event(2, 1, 10);
  write(own);
  write(foreign);
  const auto deletion =
      event(1, 5, 5, {{"e", own->event.id.hex()}, {"e", foreign->event.id.hex()}});
  EXPECT_EQ(write(deletion), Outcome::Stored);
  EXPECT_FALSE(has(own));
  EXPECT_TRUE(has(foreign));
  EXPECT_TRUE(has(deletion));
  EXPECT_EQ(write(own), Outcome::Deleted);
}

TEST_P(StoreContract, RefusesWhatWasDeletedBeforeItArrived) {  // W4
  const auto note = event(1, 1, 10), article = event(1, 30023, 10, {{"d", "x"}});
  write(event(1, 5, 12, {{"e", note->event.id.hex()}, {"a", "30023:" + author(1).hex() + ":x"}}));
  EXPECT_EQ(write(note), Outcome::Deleted);
  EXPECT_EQ(write(article), Outcome::Deleted);
  EXPECT_EQ(write(event(1, 30023, 12, {{"d", "x"}})), Outcome::Deleted);
  EXPECT_EQ(write(event(1, 30023, 13, {{"d", "x"}})), Outcome::Stored);
  EXPECT_EQ(write(event(1, 30023, 10, {{"d", "y"}})), Outcome::Stored);
}

TEST_P(StoreContract, DeletesAnAddressUpToTheDeletionsTime) {  // W4
  const auto old = event(1, 30023, 10, {{"d", "x"}}), young = event(1, 30023, 30, {{"d", "y"}});
  write(old);
  write(young);
  const std::string mine = "30023:" + author(1).hex();
  write(event(1, 5, 20, {{"a", mine + ":x"}, {"a", mine + ":y"}}));
  EXPECT_EQ(write(event(2, 5, 40, {{"a", mine + ":y"}})), Outcome::Stored);
  EXPECT_FALSE(has(old));
  EXPECT_TRUE(has(young));
}

TEST_P(StoreContract, DeletionsAndVanishRequestsCannotBeDeleted) {  // W4
  const auto deletion = event(1, 5, 10), elsewhere = event(1, 62, 10);
  write(deletion);
  write(elsewhere);
  write(event(1, 5, 20, {{"e", deletion->event.id.hex()}, {"e", elsewhere->event.id.hex()}}));
  EXPECT_TRUE(has(deletion));
  EXPECT_TRUE(has(elsewhere));
}

TEST_P(StoreContract, ForgetsWhoAsksToVanish) {  // W5
  const auto note = event(1, 1, 10), deletion = event(1, 5, 11), later = event(1, 1, 30);
  const auto wrap = event(2, 1059, 12, {{"p", author(1).hex()}});
  const auto letter = event(2, 1, 12, {{"p", author(1).hex()}});
  for (const auto& one : {note, deletion, later, wrap, letter}) write(one);
  const auto request = event(1, 62, 20);
  EXPECT_EQ(write(request, true), Outcome::Stored);
  for (const auto& gone : {note, deletion, wrap}) {
    EXPECT_FALSE(has(gone));
    EXPECT_EQ(write(gone), Outcome::Vanished);
  }
  for (const auto& kept : {later, letter, request}) EXPECT_TRUE(has(kept));
  EXPECT_EQ(write(request, true), Outcome::Duplicate);
  EXPECT_EQ(write(event(1, 62, 19), true), Outcome::Vanished);
  EXPECT_EQ(write(event(2, 1059, 21, {{"p", author(1).hex()}})), Outcome::Stored);
}

TEST_P(StoreContract, AVanishRequestToAnotherRelayIsAnOrdinaryEvent) {  // W5
  const auto note = event(1, 1, 10);
  write(note);
  EXPECT_EQ(write(event(1, 62, 20)), Outcome::Stored);
  EXPECT_TRUE(has(note));
}

TEST_P(StoreContract, RefusesHidesAndSweepsWhatExpired) {  // W6
  const auto late = event(1, 1, 10, {{"expiration", "1000"}});
  const auto soon = event(1, 1, 11, {{"expiration", "1001"}});
  const auto next = event(1, 1, 12, {{"expiration", "1002"}});
  EXPECT_EQ(write(late), Outcome::Expired);
  EXPECT_EQ(write(next), Outcome::Stored);
  EXPECT_EQ(write(soon), Outcome::Stored);
  EXPECT_EQ(read(by(1)), ids({next, soon}));
  EXPECT_EQ(read(by(1), 1001), ids({next}));
  EXPECT_EQ(*store_->remove_expired(1000, 10), 0u);
  EXPECT_EQ(*store_->remove_expired(1002, 1), 1u);
  EXPECT_FALSE(has(soon));
  EXPECT_TRUE(has(next));
  EXPECT_EQ(*store_->remove_expired(1002, 10), 1u);
  EXPECT_EQ((*store_->snapshot())->size(), 0u);
}

TEST_P(StoreContract, AnswersNewestFirstThenLowestId) {  // Q1
  auto notes = write_notes({10, 30, 20, 20, 20, 40});
  std::sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) {
    return comes_before({a->event.created_at, a->event.id}, {b->event.created_at, b->event.id});
  });
  EXPECT_EQ(read(nostr::Filter{}), ids(notes));
  EXPECT_EQ(read(by(1)), ids(notes));
}

TEST_P(StoreContract, GoesOnInALaterSnapshotWhereItStopped) {  // Q2
  const auto notes = write_notes({50, 40, 30, 20, 10});
  for (const Budget budget : {Budget{1, 100}, Budget{1'000'000, 1}}) {
    Cursor slow = cursor({by(1)});
    Ids seen;
    const auto visit = [&](const Found& found) { seen.push_back(found.position.id); };
    while (*(*store_->snapshot())->read(slow, budget, kNow, visit) == ReadState::Unfinished) {
      EXPECT_LE(seen.size(), notes.size());
    }
    EXPECT_EQ(seen, ids(notes));
  }
}

TEST_P(StoreContract, DoesNotSeeWhatCameAfterTheQuestion) {  // Q3
  const auto notes = write_notes({50, 40});
  Cursor asked = cursor({by(1), of_kind(1)});
  write_notes({60, 45, 30});
  EXPECT_EQ(read(asked), ids(notes));
}

TEST_P(StoreContract, ASnapshotStaysAsItWas) {
  const auto notes = write_notes({50});
  const auto snapshot = store_->snapshot();
  write(event(1, 1, 60));
  write(event(1, 5, 70, {{"e", notes[0]->event.id.hex()}}));
  EXPECT_EQ((*snapshot)->size(), 1u);
  EXPECT_TRUE((*snapshot)->contains(notes[0]->event.id));
  EXPECT_EQ(*(*snapshot)->count({{nostr::Filter{}}}, kNow, 10, nullptr), 1u);
}

TEST_P(StoreContract, AnEventCountsAgainstEveryFilterItMatches) {  // Q4
  const auto notes = write_notes({50, 40, 30, 20});
  nostr::Filter mine = by(1);
  mine.limit = 3;
  Cursor both = cursor({of_kind(1, 2), mine});
  EXPECT_EQ(read(both), ids({notes[0], notes[1], notes[2]}));
  EXPECT_TRUE(both.more);
}

TEST_P(StoreContract, TellsWhetherALimitLeftSomethingOut) {  // Q5
  write_notes({50, 40, 30});
  Cursor cut = cursor({of_kind(1, 2)}), whole = cursor({of_kind(1, 3)});
  read(cut);
  read(whole);
  EXPECT_TRUE(cut.more);
  EXPECT_FALSE(whole.more);
  EXPECT_FALSE(whole.unsure);
  // What one filter left out came through the other.
  Cursor covered = cursor({of_kind(1, 1), by(1)});
  EXPECT_EQ(read(covered).size(), 3u);
  EXPECT_FALSE(covered.more);
  EXPECT_FALSE(covered.unsure);
}

TEST_P(StoreContract, SaysSoWhenItDidNotLookForMore) {  // Q5
  write_notes({50, 40, 30});
  Cursor short_budget = cursor({of_kind(1, 1)});
  EXPECT_EQ(read(short_budget, Budget{1'000'000, 1}).size(), 1u);
  EXPECT_TRUE(short_budget.more || short_budget.unsure);
  Cursor none = cursor({of_kind(1, 0)});
  EXPECT_TRUE(read(none).empty());
  EXPECT_FALSE(none.more);
  EXPECT_TRUE(none.unsure);
}

TEST_P(StoreContract, StretchesACapToTheEndOfItsSecond) {
  write_notes({50, 40, 40, 40, 30});
  for (const std::size_t entries : {1, 2, 100}) {
    Cursor capped({of_kind(1)}, store_->newest(), {Quota(2, 100, std::nullopt)});
    EXPECT_EQ(read(capped, Budget{1'000'000, entries}).size(), 4u);
    EXPECT_TRUE(capped.more || capped.unsure);
  }
}

TEST_P(StoreContract, CountsEachEventOnceAndStops) {
  write_notes({50, 40, 30});
  write(event(2, 7, 20));
  const std::vector<nostr::Filter> filters{of_kind(1, 1), by(1), by(2)};
  std::vector<nostr::PublicKey> authors;
  const auto snapshot = store_->snapshot();
  EXPECT_EQ(
      *(*snapshot)->count(filters, kNow, 10, [&](const auto& key) { authors.push_back(key); }), 4u);
  EXPECT_EQ(authors, (std::vector{author(1), author(1), author(1), author(2)}));
  EXPECT_EQ(*(*snapshot)->count(filters, kNow, 2, nullptr), 2u);
}

TEST_P(StoreContract, ScansUpToAMaximum) {
  const auto notes = write_notes({50, 40, 30});
  Ids seen;
  const auto visit = [&](std::span<const Position> some) {
    for (const Position& position : some) seen.push_back(position.id);
  };
  const auto snapshot = store_->snapshot();
  EXPECT_TRUE(*(*snapshot)->scan(of_kind(1, 1), kNow, 3, visit));
  EXPECT_EQ(seen, ids(notes));
  EXPECT_FALSE(*(*snapshot)->scan(of_kind(1), kNow, 2, visit));
}

TEST_P(StoreContract, SurveysNoMoreInASliceThanItsBudget) {  // Q6
  write_notes({50, 40, 30, 20});
  Survey survey({of_kind(1), by(1)}, 10);
  EXPECT_EQ(*(*store_->snapshot())->count(survey, {.entries = 3}, kNow, nullptr),
            ReadState::Unfinished);
  EXPECT_GE(survey.seen, 1u);
  EXPECT_LE(survey.seen, 3u);
}

TEST_P(StoreContract, ReplaysInOrderOfAcceptance) {
  const auto notes = write_notes({10, 50, 30});
  std::vector<Serial> serials;
  Ids seen;
  const auto visit = [&](const Found& found) {
    serials.push_back(found.serial);
    seen.push_back(found.position.id);
  };
  const auto snapshot = store_->snapshot();
  ASSERT_TRUE((*snapshot)->replay(1, 5, visit));
  EXPECT_EQ(serials, (std::vector<Serial>{2, 3}));
  EXPECT_EQ(seen, ids({notes[1], notes[2]}));
  ASSERT_TRUE((*snapshot)->replay(0, 1, visit));
  EXPECT_EQ(serials.back(), 1u);
}

TEST_P(StoreContract, RevokesRequestsWithWhatTheyAloneKeptOut) {  // W11
  const auto note = event(1, 1, 10), other = event(1, 1, 11);
  const auto both = event(1, 5, 20, {{"e", note->event.id.hex()}, {"e", other->event.id.hex()}});
  const auto one = event(1, 5, 21, {{"e", other->event.id.hex()}});
  const auto vanish = event(2, 62, 20);
  const std::vector<Write> writes{{both}, {one}, {vanish, true}};
  const std::vector<nostr::EventId> revoked{both->event.id, vanish->event.id};
  ASSERT_TRUE(store_->write(Batch{writes, {}, {}, revoked}, kNow));
  EXPECT_FALSE(has(both));
  EXPECT_FALSE(has(vanish));
  EXPECT_EQ(write(note), Outcome::Stored);
  EXPECT_EQ(write(other), Outcome::Deleted);
  EXPECT_EQ(write(event(2, 1, 10)), Outcome::Stored);
  EXPECT_EQ(write(both), Outcome::Stored);
  EXPECT_FALSE(has(note));
}

TEST_P(StoreContract, BehavesLikeTheNaiveTwin) {
  for (std::uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto store = GetParam().make();
    RandomComparison(*store, seed).run();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace graspd::store::testing
