// What a read that failed leaves to be read again.
#include <algorithm>
#include <set>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "sync/pages_testing.h"

namespace graspd::sync {
namespace page_read_test {

TEST(PageReadLeft, ASecondThatIsReadInPartsIsLeft) {
  PageRead read(values({"a"}), {}, {});
  AnswerSize answers{.largest = 500};
  const auto page = [&](std::initializer_list<std::pair<std::uint32_t, core::UnixSeconds>> list) {
    for (const auto& [number, at] : list) {
      const auto e = event(number, at, "a");
      read.arrived(e.id, e.created_at);
    }
    read.ended(nostr::Completeness::Unknown, answers);
  };
  page({{1, 2000}, {2, 1000}});  // looks whole
  page({{3, 500}});              // and was not: its last second is read again
  page({{2, 1000}});
  page({{3, 500}});  // again: now the second is read alone
  EXPECT_EQ(read.ask().since, 1000);
  page({{9, 999'999}});  // the relay loses its mind
  EXPECT_NE(read.failure(), "");
  ASSERT_EQ(read.left().size(), 1u);
  EXPECT_GE(read.left()[0].until, 1000);
}

// A stray event fails the request that was to prove the end of a page that looked whole.
TEST(PageReadLeft, ASecondThatLookedWholeIsLeftWhenTheProofFails) {
  PageRead read(values({"a"}), {}, {});
  AnswerSize answers{.largest = 500};
  for (const std::uint32_t number : {1u, 2u}) {
    const auto e = event(number, 1000, "a");
    read.arrived(e.id, e.created_at);
  }
  read.ended(nostr::Completeness::Unknown, answers);
  ASSERT_EQ(read.end(), PageRead::End::EmptyPage);
  read.strayed(2000);
  read.ended(nostr::Completeness::Unknown, answers);
  EXPECT_NE(read.failure(), "");
  ASSERT_EQ(read.left().size(), 1u);
  EXPECT_GE(read.left()[0].until, 1000);
}

// One event at a time, and one that nobody asked for with the first page: the next answer lacks it.
TEST(PageReadLeft, ASecondOfWhichLessCameThanBeforeIsLeft) {
  Relay relay{.cap = 1};
  for (std::uint32_t i = 0; i < 3; ++i) relay.events.push_back(event(i, 1000, "a"));
  PageRead read(values({"a"}), {}, {});
  for (const std::uint32_t i : {0u, 1u}) read.arrived(relay.events[i].id, 1000);
  read.ended(nostr::Completeness::Unknown, relay.answers);
  while (!read.is_done() && read.failure().empty()) {
    for (const auto& e : relay.answer(read.ask())) read.arrived(e.id, e.created_at);
    read.ended(nostr::Completeness::Unknown, relay.answers);
  }
  EXPECT_EQ(read.left(), (std::vector<Window>{{1000, 1000}}));
}

// Whatever was not seen lies in a window that is left.
bool accounts_for(const Relay& relay, const std::set<nostr::EventId>& seen,
                  const std::vector<Window>& left) {
  return std::ranges::all_of(relay.events, [&](const nostr::Event& e) {
    return seen.contains(e.id) || std::ranges::any_of(left, [&](const Window& window) {
             return e.created_at >= window.since.value_or(0) &&
                    e.created_at <= window.until.value_or(e.created_at);
           });
  });
}

// The relay gives less now and then, but not so little that nothing tells of the rest.
std::vector<nostr::Event> some_of(std::vector<nostr::Event> page, core::Rng& rng) {
  if (page.size() < 2 || !rng.one_in(3)) return page;
  const auto given = 1 + rng.below(page.size() - 1);
  if (page.back().created_at < page[given - 1].created_at) page.resize(given);
  return page;
}

// Answers break off, and some bring what fails the read: it starts again with what it left.
TEST(PageReadLeft, WhereverAReadFailsNothingIsForgotten) {
  core::Rng rng(7);
  for (int round = 0; round < 100; ++round) {
    Relay relay{.cap = 20 + rng.below(30)};
    relay.answers.largest = rng.one_in(2) ? relay.cap : 0;
    for (auto i = static_cast<std::uint32_t>(rng.below(200)); i > 0; --i) {
      relay.events.push_back(event(i, 1000 + static_cast<core::UnixSeconds>(rng.below(100)), "x"));
    }
    std::set<nostr::EventId> seen;
    std::vector<Window> left{{}};
    while (!left.empty() && relay.requests < 300) {
      PageRead read(values({"x"}), left.back(), {});
      left.pop_back();
      while (!read.is_done() && read.failure().empty()) {
        auto page = some_of(relay.answer(read.ask()), rng);
        const bool breaks = rng.one_in(6);
        if (breaks) page.resize(rng.below(page.size() + 1));
        for (const auto& e : page) {
          seen.insert(e.id);
          read.arrived(e.id, e.created_at);
        }
        if (rng.one_in(6)) read.strayed(9999);
        breaks ? read.broken() : read.ended(nostr::Completeness::Unknown, relay.answers);
      }
      for (const Window& window : read.left()) left.push_back(window);
      ASSERT_TRUE(accounts_for(relay, seen, left)) << round;
    }
  }
}

}  // namespace page_read_test
}  // namespace graspd::sync
