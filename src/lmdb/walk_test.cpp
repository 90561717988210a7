#include "lmdb/walk.h"

#include <gtest/gtest.h>

#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace walk_test {

using store::testing::author;
using store::testing::event;

TEST(Walk, AnAuthorOfTooManyKindsIsReadByTime) {
  const auto store = testing::open_in_memory();
  std::vector<store::Write> batch;
  for (std::uint16_t kind = 1'000; kind < 1'000 + kRangesMax + 100; ++kind) {
    batch.push_back({event(1, kind, kind)});
    if (kind % 100 == 0) batch.push_back({event(2, kind, kind)});
  }
  ASSERT_TRUE(store->write(batch, 0));

  nostr::Filter filter;
  filter.authors = {{author(1)}};
  const auto snapshot = store->snapshot();
  EXPECT_EQ(*(*snapshot)->count({&filter, 1}, 0, 1'000'000, nullptr), kRangesMax + 100);
  filter.kinds.emplace();
  for (std::uint16_t kind = 1'000; kind < 4'000; ++kind) filter.kinds->push_back({kind});
  EXPECT_EQ(*(*snapshot)->count({&filter, 1}, 0, 1'000'000, nullptr), 3'000u);
}

TEST(Walk, ManyAuthorsAreOneAnswer) {
  const auto store = testing::open_in_memory();
  std::vector<store::Write> batch;
  for (std::uint32_t i = 0; i < 3'000; ++i) batch.push_back({event(i, 1, i % 50)});
  ASSERT_TRUE(store->write(batch, 0));

  for (const std::uint32_t authors : {10u, 1'000u, 3'000u}) {
    nostr::Filter filter;
    filter.authors.emplace();
    for (std::uint32_t i = 0; i < authors; ++i) filter.authors->push_back(author(i));
    filter.kinds = {{{1}}};
    nostr::normalise(filter);
    store::Cursor cursor({filter}, store->newest());
    std::vector<store::Position> seen;
    const auto visit = [&](const store::Found& found) { seen.push_back(found.position); };
    while (*(*store->snapshot())->read(cursor, {.entries = 700}, 0, visit) ==
           store::ReadState::Unfinished) {
    }
    EXPECT_EQ(seen.size(), authors);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), store::comes_before));
  }
}

TEST(Walk, FiltersBeyondTheRangesAreOneAnswerToo) {  // R4
  const auto store = testing::open_in_memory();
  std::vector<store::Write> batch;
  for (std::uint32_t i = 0; i < 200; ++i) batch.push_back({event(i, 1, i % 50)});
  ASSERT_TRUE(store->write(batch, 0));

  std::vector<nostr::Filter> filters;
  for (std::uint32_t first = 0; first < 30; ++first) {
    nostr::Filter& filter = filters.emplace_back();
    filter.authors.emplace();
    for (std::uint32_t i = 0; i < 1'500; ++i) filter.authors->push_back(author(first + 30 * i));
    if (first % 2 == 0) filter.kinds = {{{1}}};
    nostr::normalise(filter);
  }
  const auto snapshot = store->snapshot();
  EXPECT_EQ(*(*snapshot)->count(filters, 0, 1'000, nullptr), 200u);
}

}  // namespace walk_test
}  // namespace graspd::lmdb
