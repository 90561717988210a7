#include "lmdb/pages.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "lmdb/merge.h"
#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace pages_test {

// One key per number of entries: one alone, a few that share a page with others, many pages.
constexpr std::size_t kSizes[] = {0, 1, 2, 40, 41, 85, 86, 300, 5'000};

Key key_of(std::size_t number) { return kind_key({static_cast<std::uint16_t>(number)}); }

class Pages : public ::testing::Test {
 protected:
  Pages() {
    Txn txn(env_, Txn::Mode::Write);
    tables_ = open_tables(txn, Missing::Create);
    for (std::size_t i = 0; i < std::size(kSizes); ++i) fill(txn, i);
    txn.commit();
    read_.emplace(env_, Txn::Mode::Read);
    reader_.emplace(*read_, tables_.kind);
  }
  void fill(Txn& txn, std::size_t number) {
    std::vector<EntryBytes> entries;
    while (entries.size() < kSizes[number]) {
      const auto time = static_cast<core::UnixSeconds>(rng_.below(1'000));
      nostr::EventId::Bytes id{};
      store_big<8>(id.data(), rng_.next());
      entries.push_back(encode({{time, nostr::EventId(id)}, {1}, false, entries.size()}));
      txn.put(tables_.kind, key_of(number).view(), entries.back());
    }
    std::sort(entries.begin(), entries.end());
    expected_.push_back(std::move(entries));
  }
  std::unique_ptr<PageSource> source(std::size_t number, const Bounds& bounds) {
    return std::make_unique<KeyPages>(*reader_, key_of(number), bounds);
  }
  std::vector<EntryBytes> within(std::size_t number, const Bounds& bounds) const {
    std::vector<EntryBytes> entries;
    for (const EntryBytes& entry : expected_[number]) {
      if (entry >= bounds.from && created_at_of(entry) >= bounds.since) entries.push_back(entry);
    }
    return entries;
  }
  Bounds some_bounds() {
    nostr::Filter filter;
    std::optional<store::Position> after;
    if (rng_.one_in(2)) filter.since = static_cast<core::UnixSeconds>(rng_.below(1'100));
    if (rng_.one_in(2)) filter.until = static_cast<core::UnixSeconds>(rng_.below(1'100));
    const auto& entries = expected_[1 + rng_.below(std::size(kSizes) - 1)];
    if (rng_.one_in(2)) after = position_of(entries[rng_.below(entries.size())]);
    return Bounds::of(filter, after);
  }

  core::Rng rng_{11};
  testing::TemporaryDirectory directory_;
  Env env_{{directory_.path(), MDB_NOSYNC, 8 << 20, 8}};
  Tables tables_{};
  std::optional<Txn> read_;
  std::optional<IndexReader> reader_;
  std::vector<std::vector<EntryBytes>> expected_;
};

TEST_F(Pages, HoldEveryEntryWithinTheBoundsInOrder) {
  for (int round = 0; round < 500; ++round) {
    const std::size_t number = rng_.below(std::size(kSizes));
    const Bounds bounds = some_bounds();
    const auto pages = source(number, bounds);
    std::vector<EntryBytes> read;
    for (Page page = pages->next(); !page.empty(); page = pages->next()) {
      read.insert(read.end(), page.begin(), page.end());
    }
    ASSERT_EQ(read, within(number, bounds));
    EXPECT_TRUE(pages->next().empty());
  }
}

TEST_F(Pages, OfSeveralKeysAreReadInTurnThroughOneCursor) {  // R2
  for (int round = 0; round < 50; ++round) {
    Merge merge;
    std::vector<EntryBytes> expected, read;
    for (std::size_t number = 0; number < std::size(kSizes); ++number) {
      const Bounds bounds = some_bounds();
      merge.add(static_cast<std::uint32_t>(number), source(number, bounds));
      const auto entries = within(number, bounds);
      expected.insert(expected.end(), entries.begin(), entries.end());
    }
    std::sort(expected.begin(), expected.end());
    for (; !merge.empty(); merge.advance()) read.push_back(merge.top());
    ASSERT_EQ(read, expected);
  }
}

TEST_F(Pages, OfASourceDroppedAreReadNoMore) {
  const Bounds all = Bounds::of({}, std::nullopt);
  Merge merge;
  merge.add(7, source(7, all));
  merge.add(8, source(8, all));
  std::vector<EntryBytes> read;
  while (!merge.empty()) {
    if (merge.label() == 7) {
      merge.drop();
    } else {
      read.push_back(merge.top());
      merge.advance();
    }
  }
  EXPECT_EQ(read, expected_[8]);
}

}  // namespace pages_test
}  // namespace graspd::lmdb
