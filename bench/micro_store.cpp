// The event store on disk: writing batches onto 100,000 events, and the questions clients ask.
// Events are about 600 bytes and carry three indexed tags.
#include <benchmark/benchmark.h>

#include "core/check.h"
#include "core/rng.h"
#include "lmdb/lmdb_store.h"
#include "lmdb/store_testing.h"
#include "store/testing/events.h"

namespace graspd {
namespace {

constexpr core::UnixSeconds kNow = 2'000'000'000;
constexpr std::uint32_t kStored = 100'000;
constexpr std::uint32_t kAuthors = 1'000, kRepositories = 500;

std::string repository(std::uint64_t number) {
  return "30617:" + store::testing::author(static_cast<std::uint32_t>(number % kAuthors)).hex() +
         ":repository-" + std::to_string(number);
}

// The number decides everything. Time goes on with it, in the disorder in which many clients and
// relays deliver; authors, repositories and referred events are drawn at random, which is the worst
// case: every entry of a batch falls on another page.
store::Write numbered(std::uint64_t number) {
  core::Rng rng(number);
  nostr::Tags tags{
      {"a", repository(rng.below(kRepositories))},
      {"e", store::testing::author(static_cast<std::uint32_t>(rng.next())).hex()},
      {"p", store::testing::author(static_cast<std::uint32_t>(rng.below(kAuthors))).hex()}};
  const std::uint16_t kinds[] = {1, 7, 1617, 1621, 1111};
  const auto created_at =
      1'700'000'000 + static_cast<core::UnixSeconds>(number * 10 + rng.below(3'600));
  return {store::testing::event(static_cast<std::uint32_t>(rng.below(kAuthors)),
                                kinds[rng.below(5)], created_at, std::move(tags),
                                std::to_string(number) + std::string(60, 'x'))};
}

std::vector<store::Write> batch_from(std::uint64_t first, std::uint64_t size) {
  std::vector<store::Write> batch;
  for (std::uint64_t i = 0; i < size; ++i) batch.push_back(numbered(first + i));
  return batch;
}

struct Filled {
  explicit Filled(bool sync) {
    lmdb::Options options;
    options.path = directory.path();
    options.sync = sync;
    options.map_bytes = std::size_t{4} << 30;
    store = lmdb::testing::open_or_die(options);
    for (std::uint64_t first = 0; first < kStored; first += 1'000) write(1'000);
  }
  void write(std::uint64_t size) {
    CHECK(store->write(batch_from(next, size), kNow));
    next += size;
  }
  lmdb::testing::TemporaryDirectory directory;
  std::unique_ptr<lmdb::LmdbStore> store;
  std::uint64_t next = 0;
};

Filled& filled(bool sync) {
  static Filled synced(true), unsynced(false);
  return sync ? synced : unsynced;
}

void write_batches(benchmark::State& state, bool sync) {
  Filled& target = filled(sync);
  const auto size = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    const auto batch = batch_from(target.next, size);
    target.next += size;
    state.ResumeTiming();
    CHECK(target.store->write(batch, kNow));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(write_batches, unsynced, false)
    ->Arg(1)
    ->Arg(100)
    ->Arg(500)
    ->Arg(1'000)
    ->Iterations(30);
BENCHMARK_CAPTURE(write_batches, synced, true)
    ->Arg(1)
    ->Arg(100)
    ->Arg(500)
    ->Arg(1'000)
    ->Iterations(30);

void read(benchmark::State& state, const std::function<nostr::Filter(std::uint64_t)>& filter) {
  const auto& store = *filled(false).store;
  std::uint64_t number = 0, shown = 0, bytes = 0;
  for (auto _ : state) {
    const auto snapshot = store.snapshot();
    store::Cursor cursor({filter(++number)}, store.newest());
    const auto visit = [&](const store::Found& found) {
      ++shown;
      bytes += found.json.size();
    };
    while (*(*snapshot)->read(cursor, {}, kNow, visit) == store::ReadState::Unfinished) continue;
  }
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(shown), benchmark::Counter::kAvgIterations);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

nostr::Filter of_repository(std::uint64_t number) {
  nostr::Filter filter;
  filter.tags = {{'a', {repository(number % kRepositories)}}};
  filter.limit = 100;
  return filter;
}
nostr::Filter of_author_and_kind(std::uint64_t number) {
  nostr::Filter filter;
  filter.authors = {{store::testing::author(static_cast<std::uint32_t>(number % kAuthors))}};
  filter.kinds = {{{1}}};
  filter.limit = 100;
  return filter;
}
nostr::Filter of_many_authors(std::uint64_t) {
  nostr::Filter filter = of_author_and_kind(0);
  for (std::uint32_t i = 1; i < kAuthors; ++i) {
    filter.authors->push_back(store::testing::author(i));
  }
  nostr::normalise(filter);
  filter.limit = 500;
  return filter;
}
nostr::Filter of_ids(std::uint64_t) {
  static const nostr::Filter filter = [] {
    nostr::Filter made;
    made.ids.emplace();
    for (const store::Write& write : batch_from(50'000, 500)) {
      made.ids->push_back(write.event->event.id);
    }
    nostr::normalise(made);
    return made;
  }();
  return filter;
}
nostr::Filter of_repository_and_author(std::uint64_t number) {
  nostr::Filter filter = of_repository(number);
  filter.authors = {{store::testing::author(7)}};
  return filter;
}
BENCHMARK_CAPTURE(read, tag_a_100, of_repository);
BENCHMARK_CAPTURE(read, author_kind_100, of_author_and_kind);
BENCHMARK_CAPTURE(read, thousand_authors_500, of_many_authors);
BENCHMARK_CAPTURE(read, ids_500, of_ids);
BENCHMARK_CAPTURE(read, tag_a_and_author, of_repository_and_author);

void snapshot(benchmark::State& state) {
  const auto& store = *filled(false).store;
  for (auto _ : state) benchmark::DoNotOptimize(store.snapshot());
}
BENCHMARK(snapshot);

void scan(benchmark::State& state) {
  Filled& target = filled(false);
  const auto size = static_cast<std::uint64_t>(state.range(0));
  while (target.next < size) target.write(10'000);
  const auto snapshot = target.store->snapshot();
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen = 0;
    const auto visit = [&](auto some) { seen += some.size(); };
    CHECK(*(*snapshot)->scan({}, kNow, size, visit) || seen == size);
  }
  state.counters["events"] = static_cast<double>(seen);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(scan)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace graspd
