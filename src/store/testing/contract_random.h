// Random operations on a backend and on the naive twin, which must agree on everything.
#pragma once
#include <gtest/gtest.h>

#include "core/rng.h"
#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::store::testing {

// The whole answer, each part from a snapshot of its own.
inline std::vector<nostr::EventId> read_all(const EventStore& store, Cursor& cursor,
                                            const Budget& budget, core::UnixSeconds now) {
  std::vector<nostr::EventId> seen;
  const auto visit = [&](const Found& found) { seen.push_back(found.position.id); };
  for (;;) {
    const auto snapshot = store.snapshot();
    const auto state = (*snapshot)->read(cursor, budget, now, visit);
    EXPECT_TRUE(state);
    if (!state || *state == ReadState::Finished) return seen;
  }
}

class RandomComparison {
 public:
  RandomComparison(EventStore& store, std::uint64_t seed) : store_(store), rng_(seed) {}

  void run() {
    for (int round = 0; round < 60 && !::testing::Test::HasFailure(); ++round) {
      write_batch();
      if (rng_.one_in(8)) sweep();
      for (int i = 0; i < 6; ++i) compare_answers();
      compare_contents();
      now_ += static_cast<core::UnixSeconds>(rng_.below(2));
    }
  }

 private:
  static constexpr std::uint16_t kKinds[] = {1, 1, 1, 7, 0, 3, 10002, 30023, 30617, 1059};

  std::uint32_t some_author() { return static_cast<std::uint32_t>(rng_.below(4)); }
  core::UnixSeconds some_time() { return 1'000 + static_cast<core::UnixSeconds>(rng_.below(12)); }
  std::string some_word() { return std::string(rng_.below(3), 'x'); }
  const nostr::Event& some_known() { return pool_[rng_.below(pool_.size())]->event; }

  void append_tag(nostr::Tags& tags) {
    tags.begin_row();
    switch (rng_.below(7)) {
      case 0:
        tags.append("d");
        break;  // without a value
      case 1:
        tags.append("d"), tags.append(some_word());
        break;
      case 2:
        tags.append("t"), tags.append(some_word());
        break;
      case 3:
        tags.append("p"), tags.append(author(some_author()).hex());
        break;
      case 4:
        tags.append("topic"), tags.append(some_word());
        break;
      case 5:
        tags.append("expiration"), tags.append(std::to_string(now_ + 1 + rng_.below(20)));
        break;
      default:
        tags.append("e"), tags.append(pool_.empty() ? "x" : some_known().id.hex());
    }
  }
  nostr::Tags some_tags() {
    nostr::Tags tags;
    for (std::uint64_t count = rng_.below(4); count > 0; --count) append_tag(tags);
    return tags;
  }

  nostr::Tags some_deletions(std::uint32_t by) {
    nostr::Tags tags;
    for (std::uint64_t count = 1 + rng_.below(2); count > 0; --count) {
      tags.begin_row();
      if (rng_.one_in(2)) {
        tags.append("a");
        const char* kind = rng_.one_in(2) ? "30023:" : "10002:";
        tags.append(kind + author(rng_.one_in(6) ? some_author() : by).hex() + ":" + some_word());
      } else {
        tags.append("e");
        tags.append(pool_.empty() ? "x" : some_known().id.hex());
      }
    }
    return tags;
  }

  Write some_write() {
    if (!pool_.empty() && rng_.one_in(4)) return {pool_[rng_.below(pool_.size())]};
    const std::uint32_t by = some_author();
    nostr::WireEventPtr made;
    bool vanish = false;
    if (rng_.one_in(8)) {
      made = event(by, 5, some_time(), some_deletions(by));
    } else if (rng_.one_in(60)) {
      made = event(by, 62, some_time() - 4, some_tags());
      vanish = rng_.one_in(2);
    } else {
      const std::uint16_t kind = kKinds[rng_.below(std::size(kKinds))];
      made = event(by, kind, some_time(), some_tags(), std::to_string(rng_.below(50)));
    }
    pool_.push_back(made);
    // Some are kept back, so that deletions name what has not arrived yet.
    if (rng_.one_in(5)) return some_write();
    return {made, vanish};
  }

  void write_batch() {
    std::vector<Write> batch;
    for (std::uint64_t count = rng_.below(25); count > 0; --count) batch.push_back(some_write());
    std::vector<nostr::EventId> revoked;
    while (!pool_.empty() && rng_.one_in(3)) revoked.push_back(some_known().id);
    const Batch all{batch, {}, {}, revoked};
    const auto mine = store_.write(all, now_), twins = twin_.write(all, now_);
    ASSERT_TRUE(mine);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ((*mine)[i].outcome, (*twins)[i].outcome) << batch[i].event->json;
      EXPECT_EQ((*mine)[i].serial, (*twins)[i].serial);
    }
    EXPECT_EQ(store_.newest(), twin_.newest());
  }

  void sweep() {
    const std::size_t max = rng_.below(4);
    EXPECT_EQ(*store_.remove_expired(now_, max), *twin_.remove_expired(now_, max));
  }

  nostr::Filter some_filter() {
    nostr::Filter filter;
    if (rng_.one_in(6) && !pool_.empty()) {
      filter.ids.emplace();
      for (int i = 0; i < 5; ++i) filter.ids->push_back(some_known().id);
      filter.ids->push_back(nostr::EventId());
    }
    if (rng_.one_in(3)) filter.authors = {{author(some_author()), author(some_author())}};
    if (rng_.one_in(3)) {
      filter.kinds.emplace();
      for (int i = 0; i < 3; ++i) filter.kinds->push_back({kKinds[rng_.below(std::size(kKinds))]});
    }
    if (rng_.one_in(4)) filter.tags.push_back({'d', {some_word(), some_word()}});
    if (rng_.one_in(4)) filter.tags.push_back({'t', {some_word()}});
    if (rng_.one_in(6) && !pool_.empty()) filter.tags.push_back({'e', {some_known().id.hex()}});
    if (rng_.one_in(6)) filter.tags.push_back({'p', {author(some_author()).hex()}});
    if (rng_.one_in(4)) filter.since = some_time();
    if (rng_.one_in(4)) filter.until = some_time();
    if (rng_.one_in(2)) filter.limit = rng_.below(12);
    nostr::normalise(filter);
    return filter;
  }

  std::vector<Quota> some_quotas(const std::vector<nostr::Filter>& filters) {
    std::vector<Quota> quotas;
    for (const nostr::Filter& filter : filters) {
      const std::uint64_t limit = filter.limit.value_or(Quota::kAll);
      quotas.push_back(limit == 0 || rng_.one_in(2) ? Quota(limit)
                                                    : Quota(limit, rng_.below(9), filter.until));
    }
    return quotas;
  }

  void compare_answers() {
    std::vector<nostr::Filter> filters;
    for (std::uint64_t count = 1 + rng_.below(3); count > 0; --count) {
      filters.push_back(some_filter());
    }
    const Serial up_to = rng_.one_in(3) ? rng_.below(twin_.newest() + 1) : twin_.newest();
    const std::vector<Quota> quotas = some_quotas(filters);
    Cursor mine(filters, up_to, quotas), twins(filters, up_to, quotas);
    const Budget budget{1 + rng_.below(5'000), 1 + rng_.below(rng_.one_in(2) ? 6 : 500)};
    EXPECT_EQ(read_all(store_, mine, budget, now_), read_all(twin_, twins, Budget{}, now_));
    for (std::size_t i = 0; i < filters.size(); ++i)
      EXPECT_EQ(mine.quotas[i].left(), twins.quotas[i].left());
    if (mine.more || !mine.unsure) {
      EXPECT_EQ(mine.more, twins.more);
    }
    compare_totals(filters);
  }

  void compare_totals(const std::vector<nostr::Filter>& filters) {
    const auto mine = store_.snapshot(), twins = twin_.snapshot();
    const std::uint64_t max = rng_.below(100);
    EXPECT_EQ(authors_counted(**mine, filters, max), authors_counted(**twins, filters, max));
    EXPECT_EQ(*(*mine)->count(filters, now_, max, nullptr),
              *(*twins)->count(filters, now_, max, nullptr));
    EXPECT_EQ(scanned(**mine, filters[0], max), scanned(**twins, filters[0], max));
    const Budget slice{.entries = 1 + rng_.below(rng_.one_in(2) ? 6 : 500)};
    EXPECT_EQ(counted_in_slices(filters, max, slice), authors_counted(**twins, filters, max));
    EXPECT_EQ(scanned_in_slices(filters[0], max, slice), scanned(**twins, filters[0], max));
  }

  std::vector<nostr::PublicKey> counted_in_slices(const std::vector<nostr::Filter>& filters,
                                                  std::uint64_t max, const Budget& slice) {
    std::vector<nostr::PublicKey> authors;
    const auto note = [&](const nostr::PublicKey& key) { authors.push_back(key); };
    Survey survey(filters, max);
    while (*(*store_.snapshot())->count(survey, slice, now_, note) == ReadState::Unfinished) {
    }
    EXPECT_EQ(survey.seen, authors.size());
    return authors;
  }

  std::pair<bool, std::vector<Position>> scanned_in_slices(const nostr::Filter& filter,
                                                           std::uint64_t max, const Budget& slice) {
    std::vector<Position> seen;
    const auto note = [&](std::span<const Position> some) {
      seen.insert(seen.end(), some.begin(), some.end());
    };
    Survey survey({filter}, max);
    while (*(*store_.snapshot())->scan(survey, slice, now_, note) == ReadState::Unfinished) {
    }
    return {!survey.cut, seen};
  }

  std::vector<nostr::PublicKey> authors_counted(const Snapshot& snapshot,
                                                const std::vector<nostr::Filter>& filters,
                                                std::uint64_t max) {
    std::vector<nostr::PublicKey> authors;
    const auto note = [&](const nostr::PublicKey& key) { authors.push_back(key); };
    EXPECT_TRUE(snapshot.count(filters, now_, max, note));
    return authors;
  }

  std::pair<bool, std::vector<Position>> scanned(const Snapshot& snapshot,
                                                 const nostr::Filter& filter, std::uint64_t max) {
    std::vector<Position> seen;
    const bool all = *snapshot.scan(filter, now_, max, [&](std::span<const Position> some) {
      seen.insert(seen.end(), some.begin(), some.end());
    });
    return {all, seen};
  }

  void compare_contents() {
    const auto mine = store_.snapshot(), twins = twin_.snapshot();
    EXPECT_EQ((*mine)->size(), (*twins)->size());
    const Serial after = rng_.below(twin_.newest() + 1);
    const std::size_t max = rng_.below(1'000);
    EXPECT_EQ(replayed(**mine, after, max), replayed(**twins, after, max));
    if (pool_.empty()) return;
    const nostr::EventId id = some_known().id;
    EXPECT_EQ((*mine)->find_json(id), (*twins)->find_json(id));
    EXPECT_EQ((*mine)->contains(id), (*twins)->contains(id));
  }

  static std::vector<Serial> replayed(const Snapshot& snapshot, Serial after, std::size_t max) {
    std::vector<Serial> seen;
    EXPECT_TRUE(snapshot.replay(after, max, [&](const Found& found) {
      seen.push_back(found.serial);
      EXPECT_EQ(snapshot.find_json(found.position.id), found.json);
    }));
    return seen;
  }

  EventStore& store_;
  MemoryStore twin_;
  core::Rng rng_;
  core::UnixSeconds now_ = 1'000;
  std::vector<nostr::WireEventPtr> pool_;
};

}  // namespace graspd::store::testing
