// A million items: building the set, fingerprints, and whole reconciliations of both sides.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <memory>

#include "core/check.h"
#include "negentropy/item_set_builder.h"
#include "negentropy/plain_client.h"
#include "negentropy/random_items.h"
#include "negentropy/reconciler.h"

namespace {

using namespace graspd;
using namespace graspd::negentropy;

constexpr std::size_t kItems = 1'000'000;

std::vector<Item> shuffled() {
  core::Rng rng(1);
  return random_items(rng, kItems, 1'600'000'000, 10'000'000);
}

std::vector<Item> ascending() {
  std::vector<Item> items = shuffled();
  std::sort(items.begin(), items.end());
  return items;
}

std::vector<Item> as_a_store_answers() {
  std::vector<Item> items = shuffled();
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.timestamp != b.timestamp ? a.timestamp > b.timestamp : a.id < b.id;
  });
  return items;
}

void build(benchmark::State& state, const std::vector<Item>& items) {
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Item> copy = items;
    state.ResumeTiming();
    ItemSet set(std::move(copy));
    benchmark::DoNotOptimize(set);
    state.PauseTiming();
    {
      const ItemSet dropped = std::move(set);
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items.size()));
}

void BM_BuildAscending(benchmark::State& state) { build(state, ascending()); }
BENCHMARK(BM_BuildAscending)->Unit(benchmark::kMillisecond);

void BM_BuildAsAStoreAnswers(benchmark::State& state) {
  const std::vector<Item> items = as_a_store_answers();
  for (auto _ : state) {
    ItemSetBuilder builder(items.size());
    for (const Item& item : items) builder.add(item);
    const ItemSet set = std::move(builder).finish();
    benchmark::DoNotOptimize(set.size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items.size()));
}
BENCHMARK(BM_BuildAsAStoreAnswers)->Unit(benchmark::kMillisecond);

void BM_BuildShuffled(benchmark::State& state) { build(state, shuffled()); }
BENCHMARK(BM_BuildShuffled)->Unit(benchmark::kMillisecond);

void BM_Fingerprint(benchmark::State& state) {
  const ItemSet set(ascending());
  core::Rng rng(2);
  for (auto _ : state) {
    const std::size_t begin = rng.below(kItems / 2);
    benchmark::DoNotOptimize(set.fingerprint(begin, begin + rng.below(kItems / 2)));
  }
}
BENCHMARK(BM_Fingerprint);

// Every `nth` item is missing on the other side, or none: scattered, the worst way to differ.
std::shared_ptr<const ItemSet> without_every(std::size_t nth) {
  std::vector<Item> items = ascending();
  std::size_t i = 0;
  if (nth > 0) std::erase_if(items, [&](const Item&) { return ++i % nth == 0; });
  return std::make_shared<const ItemSet>(std::move(items));
}

// The newest hundredth is missing: the common way to differ.
std::shared_ptr<const ItemSet> without_the_newest() {
  std::vector<Item> items = ascending();
  items.resize(items.size() - items.size() / 100);
  return std::make_shared<const ItemSet>(std::move(items));
}

struct Totals {
  double rounds = 0;
  double bytes = 0;
};

Totals reconcile(const std::shared_ptr<const ItemSet>& here,
                 const std::shared_ptr<const ItemSet>& there, std::size_t frame_max) {
  Initiator initiator(here, {.frame_max = frame_max});
  const Responder responder(there, {.frame_max = kAnswerFrameMax});
  Totals totals;
  for (auto message = std::optional(initiator.initial_message()); message; ++totals.rounds) {
    const auto response = responder.respond(*message);
    CHECK(response);
    totals.bytes += static_cast<double>(message->size() + response->size());
    auto step = initiator.reconcile(*response);
    CHECK(step);
    message = std::move(step->next);
  }
  return totals;
}

void whole(benchmark::State& state, const std::shared_ptr<const ItemSet>& there) {
  const auto here = without_every(0);
  Totals totals;
  for (auto _ : state) totals = reconcile(here, there, static_cast<std::size_t>(state.range(0)));
  state.counters["rounds"] = totals.rounds;
  state.counters["bytes"] = totals.bytes;
}

void BM_ReconcileEqual(benchmark::State& state) { whole(state, without_every(0)); }
BENCHMARK(BM_ReconcileEqual)->ArgName("frame")->Arg(60'000)->Unit(benchmark::kMicrosecond);

void BM_ReconcileNewestMissing(benchmark::State& state) { whole(state, without_the_newest()); }
BENCHMARK(BM_ReconcileNewestMissing)
    ->ArgName("frame")
    ->Arg(0)
    ->Arg(60'000)
    ->Unit(benchmark::kMillisecond);

void BM_ReconcileOnePercentScattered(benchmark::State& state) { whole(state, without_every(100)); }
BENCHMARK(BM_ReconcileOnePercentScattered)
    ->ArgName("frame")
    ->Arg(0)
    ->Arg(60'000)
    ->Unit(benchmark::kMillisecond);

void BM_ReconcileHalfMissing(benchmark::State& state) { whole(state, without_every(2)); }
BENCHMARK(BM_ReconcileHalfMissing)
    ->ArgName("frame")
    ->Arg(0)
    ->Arg(60'000)
    ->Unit(benchmark::kMillisecond);

// A client as others write it, against our relay: 100,000 items, every `nth` missing here.
void BM_PlainClient(benchmark::State& state) {
  std::vector<Item> theirs = ascending();
  theirs.resize(100'000);
  std::vector<Item> ours = theirs;
  core::Rng rng(3);
  const auto nth = static_cast<std::uint64_t>(state.range(0));
  std::erase_if(ours, [&](const Item&) { return rng.below(nth) == 0; });
  const ItemSet here(ours);
  const Responder relay(std::make_shared<const ItemSet>(theirs), {.frame_max = kAnswerFrameMax});
  double rounds = 0, up = 0, down = 0;
  for (auto _ : state) {
    rounds = up = down = 0;
    PlainClient client(here, static_cast<std::size_t>(state.range(1)));
    for (auto message = std::optional(client.initial_message()); message; ++rounds) {
      const auto answer = relay.respond(*message);
      CHECK(answer);
      up += 2 * static_cast<double>(message->size());
      down += 2 * static_cast<double>(answer->size());
      message = client.reconcile(*answer);
    }
  }
  state.counters["rounds"] = rounds;
  state.counters["up"] = up;
  state.counters["down"] = down;
}
BENCHMARK(BM_PlainClient)
    ->ArgNames({"one_in", "frame"})
    ->Args({2, 60'000})
    ->Args({2, 0})
    ->Args({100, 60'000})
    ->Args({100, 0})
    ->Unit(benchmark::kMillisecond);

void BM_RespondToEqual(benchmark::State& state) {
  const auto items = without_every(0);
  const std::string message = Initiator(items, {}).initial_message();
  const Responder responder(items, {});
  for (auto _ : state) benchmark::DoNotOptimize(responder.respond(message));
}
BENCHMARK(BM_RespondToEqual)->Unit(benchmark::kMicrosecond);

}  // namespace
