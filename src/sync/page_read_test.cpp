#include "sync/page_read.h"

#include <map>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "sync/pages_testing.h"

namespace graspd::sync {
namespace page_read_test {

std::set<nostr::EventId> read_all(Relay& relay, PageRead& read) {
  std::set<nostr::EventId> seen;
  AnswerSize& answers = relay.answers;
  while (!read.is_done() && read.failure().empty() && relay.requests < 2000) {
    const auto page = relay.answer(read.ask());
    std::size_t sent = 0;
    for (const auto& e : page) {
      if (sent++ == relay.cut_after) break;
      seen.insert(e.id);
      read.arrived(e.id, e.created_at);
    }
    if (sent > relay.cut_after) {
      read.broken();
      continue;
    }
    const bool all = relay.hints && page.size() < relay.cap;
    read.ended(all ? nostr::Completeness::Finished : nostr::Completeness::Unknown, answers);
  }
  return seen;
}

TEST(PageRead, ReadsEverythingFromACappedRelay) {  // R1, R2
  core::Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    Relay relay{.cap = 20 + rng.below(30), .hints = rng.one_in(2)};
    const auto count = rng.below(400);
    for (std::uint32_t i = 0; i < count; ++i) {
      relay.events.push_back(event(i, 1000 + static_cast<core::UnixSeconds>(rng.below(300)), "x"));
    }
    PageRead read(values({"x"}), {}, {});
    EXPECT_EQ(read_all(relay, read).size(), count);
    EXPECT_TRUE(read.is_done());
    EXPECT_EQ(read.failure(), "");
  }
}

// One page of the given relay, as if the read had asked for it.
void read_page(Relay& relay, PageRead& read) {
  for (const auto& e : relay.answer(read.ask())) read.arrived(e.id, e.created_at);
  read.ended(nostr::Completeness::Unknown, relay.answers);
}

TEST(PageRead, AsksForTheEdgeAndForAllBelowWhenAPageMayBeTheLast) {  // R7
  Relay relay{.cap = 5000};
  for (std::uint32_t i = 0; i < 40; ++i) relay.events.push_back(event(i, 1000 + i, "x"));
  PageRead read(values({"x"}), {}, {});
  EXPECT_EQ(read.end(), PageRead::End::NotYet);
  read_page(relay, read);
  ASSERT_EQ(read.end(), PageRead::End::NothingNew);
  EXPECT_EQ(read.ask_below().until, 999);
  EXPECT_EQ(relay.answer(read.ask_below()).size(), 0u);
  const auto edge = relay.answer(read.ask_edge());
  EXPECT_EQ(edge.size(), 2u);
  for (const auto& e : edge) EXPECT_TRUE(read.has_seen(e.id));
  read.end_proved();
  EXPECT_TRUE(read.is_done());
}

TEST(PageRead, GoesOnAsBeforeWhenTheProofBroughtSomethingNew) {  // R7
  Relay relay{.cap = 30};
  for (std::uint32_t i = 0; i < 100; ++i) relay.events.push_back(event(i, 1000 + i, "x"));
  PageRead read(values({"x"}), {}, {});
  read_page(relay, read);
  ASSERT_EQ(read.end(), PageRead::End::NothingNew);
  EXPECT_GT(relay.answer(read.ask_below()).size(), 0u);
  read.end_refuted();
  EXPECT_EQ(read.end(), PageRead::End::NotYet);
  EXPECT_EQ(read_all(relay, read).size(), 72u);  // two of the first page once more
  EXPECT_TRUE(read.is_done());
}

TEST(PageRead, DoesNotTakeAFullPageForTheLast) {  // R7
  Relay relay{.cap = 500};
  for (std::uint32_t i = 0; i < 500; ++i) relay.events.push_back(event(i, 1000 + i, "x"));
  PageRead read(values({"x"}), {}, {});
  read_page(relay, read);
  EXPECT_EQ(read.end(), PageRead::End::NotYet);
}

TEST(PageRead, RemembersThatTheRelayHeldBackWithAFewEvents) {  // R3
  Relay relay{.cap = 2};
  for (std::uint32_t i = 0; i < 3; ++i) relay.events.push_back(event(i, 1500, "x"));
  PageRead again(values({"x"}), {1500, 1500}, {}, 2);
  read_all(relay, again);
  EXPECT_NE(again.failure(), "");
  EXPECT_EQ(again.held_back(), 2u);
  relay.cap = 500;
  relay.events.push_back(event(4, 1500, "x"));
  relay.events.push_back(event(5, 1500, "x"));
  PageRead healed(values({"x"}), {1500, 1500}, {}, 2);
  EXPECT_EQ(read_all(relay, healed).size(), 5u);
  EXPECT_EQ(healed.failure(), "");
}

TEST(PageRead, ReadsASecondThatHoldsMoreThanAPage) {  // R3
  Relay relay{.cap = 50};
  std::uint32_t number = 0;
  for (int i = 0; i < 100; ++i) relay.events.push_back(event(number++, 2000 + i, "a"));
  for (const char* value : {"a", "b", "c", "d"}) {
    for (int i = 0; i < 45; ++i) relay.events.push_back(event(number++, 1500, value));
  }
  for (int i = 0; i < 100; ++i) relay.events.push_back(event(number++, 1000 + i, "b"));
  PageRead read(values({"a", "b", "c", "d"}), {}, {});
  EXPECT_EQ(read_all(relay, read).size(), number);
  EXPECT_EQ(read.failure(), "");
}

TEST(PageRead, SaysWhichSecondItCouldNotRead) {  // R3: a gap is never silent
  Relay relay{.cap = 50};
  for (std::uint32_t i = 0; i < 300; ++i) relay.events.push_back(event(i, 1500, "a"));
  for (std::uint32_t i = 300; i < 400; ++i) relay.events.push_back(event(i, 1000, "b"));
  PageRead read(values({"a"}), {}, {});
  read_all(relay, read);
  EXPECT_NE(read.failure(), "");
  EXPECT_EQ(read.left(), (std::vector<Window>{{1500, 1500}}));
}

// One second after the other holds more than a page of 500: the relay gives more when asked.
TEST(PageRead, ReadsASecondStormAlsoAfterALargerOne) {  // R3
  Relay relay{.cap = 5000};
  std::uint32_t number = 0;
  const auto storm = [&](core::UnixSeconds at, int count) {
    for (int i = 0; i < count; ++i) relay.events.push_back(event(number++, at, "a"));
  };
  storm(3000, 1201);
  storm(2000, 701);
  storm(1000, 3);
  PageRead read(values({"a"}), {}, {});
  EXPECT_EQ(read_all(relay, read).size(), number);
  EXPECT_EQ(read.failure(), "");
}

TEST(PageRead, ReadsBelowASecondThatFillsASmallPage) {  // R2, R3
  for (std::size_t cap = 1; cap <= 20; ++cap) {
    Relay relay{.cap = cap};
    std::uint32_t number = 0;
    for (int i = 0; i < 40; ++i) relay.events.push_back(event(number++, 2000 + i / 2, "a"));
    for (int i = 0; i < 60; ++i) relay.events.push_back(event(number++, 1500, "a"));
    for (int i = 0; i < 40; ++i) relay.events.push_back(event(number++, 1000 + i, "b"));
    PageRead read(values({"a", "b"}), {}, {});
    const auto seen = read_all(relay, read);
    EXPECT_EQ(read.left().empty(), false) << cap;  // a gap is never silent
    for (const auto& e : relay.events) {
      const bool in_gap = e.created_at == 1500 || (cap == 1 && e.created_at >= 2000);
      EXPECT_TRUE(in_gap || seen.contains(e.id)) << "cap " << cap << " at " << e.created_at;
    }
  }
}

TEST(PageRead, ReadsTheSplittableSecondsOfTheSmallestPages) {
  for (std::size_t cap = 2; cap <= 20; ++cap) {
    Relay relay{.cap = cap};
    std::uint32_t number = 0;
    for (const core::UnixSeconds at : {3000, 2000, 1000}) {
      for (const char* value : {"a", "b", "c", "d", "e", "f"}) {
        for (std::size_t i = 0; i + 1 < cap; ++i) {
          relay.events.push_back(event(number++, at, value));
        }
      }
    }
    PageRead read(values({"a", "b", "c", "d", "e", "f"}), {}, {});
    EXPECT_EQ(read_all(relay, read).size(), number) << cap;
    EXPECT_EQ(read.failure(), "") << cap;
  }
}

TEST(PageRead, SaysThatASecondHoldsKindsItDoesNotAskFor) {  // R3
  Relay relay{.cap = 50};
  for (std::uint32_t i = 0; i < 90; ++i) {
    relay.events.push_back(event(i, 1500, "a"));
    relay.events.back().kind = {static_cast<std::uint16_t>(i % 3 == 0   ? 30023
                                                           : i % 3 == 1 ? 1111
                                                                        : 7)};
  }
  PageRead read(values({"a"}), {}, {});
  read_all(relay, read);
  EXPECT_EQ(read.left(), (std::vector<Window>{{1500, 1500}}));
}

// The first answer is short, as under load: what lies below it is not forgotten.
TEST(PageRead, DoubtsAPageWhenThereIsMoreBelow) {  // R2
  Relay relay{.cap = 500};
  relay.answers = {500, false};
  for (std::uint32_t i = 0; i < 300; ++i) relay.events.push_back(event(i, 1000 + i / 3, "a"));
  PageRead read(values({"a"}), {}, {});
  const auto page = relay.answer(read.ask());
  for (std::size_t i = 0; i < 100; ++i) read.arrived(page[i].id, page[i].created_at);
  read.ended(nostr::Completeness::Unknown, relay.answers);
  auto seen = read_all(relay, read);
  for (std::size_t i = 0; i < 100; ++i) seen.insert(page[i].id);
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_EQ(read.failure(), "");
}

TEST(PageRead, IsNotDoneWithARelayThatSaysMoreAndGivesNothing) {
  PageRead read(values({"a"}), {}, {});
  AnswerSize answers;
  read.ended(nostr::Completeness::More, answers);
  EXPECT_FALSE(read.is_done());
  EXPECT_NE(read.failure(), "");
}

TEST(PageRead, DoesNotSeeGapsInSmallPages) {
  Relay relay;
  relay.events.push_back(event(1, 1000, "a"));
  PageRead read(values({"a"}), {}, {});
  EXPECT_EQ(read_all(relay, read).size(), 1u);
  EXPECT_EQ(read.failure(), "");
  EXPECT_LE(relay.requests, 2u);
}

TEST(PageRead, GivesUpOnARelayThatIgnoresUntil) {  // R4
  Relay relay{.ignores_until = true};
  for (std::uint32_t i = 0; i < 200; ++i) relay.events.push_back(event(i, 1000 + i, "a"));
  PageRead read(values({"a"}), {}, {});
  read_all(relay, read);
  EXPECT_NE(read.failure(), "");
  EXPECT_LE(relay.requests, 3u);
}

TEST(PageRead, ReachesTheEndOfARelayThatCutsEveryAnswer) {  // R5
  Relay relay{.cap = 100, .cut_after = 60};
  for (std::uint32_t i = 0; i < 1000; ++i) relay.events.push_back(event(i, 1000 + i, "a"));
  PageRead read(values({"a"}), {}, {});
  EXPECT_EQ(read_all(relay, read).size(), 1000u);
  EXPECT_TRUE(read.is_done());
}

// An old event that is published just then comes with a page, before it, within it or as its last.
TEST(PageRead, IsNotMisledByAnOldEventThatComesWithAPage) {  // R1
  for (const std::size_t place : {0u, 25u, 50u}) {
    Relay relay{.cap = 50};
    for (std::uint32_t i = 0; i < 300; ++i) relay.events.push_back(event(i, 1000 + i, "a"));
    const auto old = event(1000, 1, "a");
    PageRead read(values({"a"}), {}, {});
    auto page = relay.answer(read.ask());
    page.insert(page.begin() + static_cast<std::ptrdiff_t>(place), old);
    relay.events.push_back(old);
    std::set<nostr::EventId> seen;
    for (const auto& e : page) {
      seen.insert(e.id);
      read.arrived(e.id, e.created_at);
    }
    read.ended(nostr::Completeness::Unknown, relay.answers);
    seen.merge(read_all(relay, read));
    EXPECT_EQ(seen.size(), 301u) << place;
    EXPECT_EQ(read.failure(), "") << place;
  }
}

TEST(PageRead, IsNotMisledByAnOldEventThatComesWithAPageThatBreaksOff) {  // R1, R5
  Relay relay{.cap = 50};
  for (std::uint32_t i = 0; i < 300; ++i) relay.events.push_back(event(i, 1000 + i, "a"));
  PageRead read(values({"a"}), {}, {});
  std::set<nostr::EventId> seen;
  for (const std::uint32_t i : {299u, 298u}) {
    seen.insert(relay.events[i].id);
    read.arrived(relay.events[i].id, relay.events[i].created_at);
  }
  const auto old = event(1000, 1, "a");
  read.arrived(old.id, old.created_at);
  read.broken();
  seen.merge(read_all(relay, read));
  EXPECT_EQ(seen.size(), 300u);
}

TEST(PageRead, BelievesARelayThatSaysThereIsMoreInASecond) {  // R3
  PageRead read(values({"a"}), {}, {});
  AnswerSize answers;
  for (int i = 0; i < 100 && !read.is_done(); ++i) {  // whatever is asked: one event, and more
    const nostr::Filter filter = read.ask();
    const auto lone = event(1, 1000, "a");
    const bool matches = filter.matches(lone);
    if (matches) read.arrived(lone.id, lone.created_at);
    read.ended(matches ? nostr::Completeness::More : nostr::Completeness::Finished, answers);
  }
  EXPECT_TRUE(read.is_done());
  EXPECT_EQ(read.left(), (std::vector<Window>{{1000, 1000}}));
}

TEST(PageRead, NotesWhatItTookForWhole) {  // R7
  Relay relay{.cap = 2};
  relay.events = {event(1, 1000, "a"), event(2, 1000, "a"), event(3, 1000, "a")};
  PageRead first(values({"a"}), {}, {});
  EXPECT_EQ(read_all(relay, first).size(), 2u);  // nothing tells that there is a third
  EXPECT_EQ(first.failure(), "");
  EXPECT_TRUE(relay.answers.is_trust_open());
  for (std::uint32_t i = 10; i < 15; ++i) relay.events.push_back(event(i, 100 * i, "b"));
  PageRead second(values({"b"}), {}, {});
  EXPECT_EQ(read_all(relay, second).size(), 5u);
  EXPECT_TRUE(relay.answers.is_trust_misplaced());
  PageRead again(values({"a"}), {}, {});
  read_all(relay, again);
  EXPECT_NE(again.failure(), "");  // now it is a gap
}

TEST(PageRead, AStrayEventDoesNotLiftACapThatIsKnown) {  // R8
  AnswerSize answers{.largest = 8, .is_cap = true};
  answers.saw(9);
  EXPECT_TRUE(answers.is_cap);
  EXPECT_EQ(answers.largest, 8u);
  answers.saw(8 + kStrays + 1);
  EXPECT_FALSE(answers.is_cap);
}

TEST(PageRead, StaysInItsWindowAndAboveZero) {  // R6
  Relay relay{.cap = 20};
  for (std::uint32_t i = 0; i < 100; ++i) relay.events.push_back(event(i, 0, "a"));
  PageRead read(values({"a"}), {}, {});
  read_all(relay, read);
  EXPECT_TRUE(read.is_done());
  PageRead narrow(values({"a"}), {.since = 5, .until = 9}, {});
  EXPECT_EQ(narrow.ask().since, 5);
  EXPECT_EQ(narrow.ask().until, 9);
}

}  // namespace page_read_test
}  // namespace graspd::sync
