// The scale of the specification (sync.md §11): 10,000 repositories, 500,000 roots, 500 relays.
// Aims: index <= 100 MB, a batch of 1,000 new roots planned <= 5 ms, full recomputation <= 250 ms.
#include <benchmark/benchmark.h>

#include "core/rng.h"
#include "sync/live_plan.h"
#include "sync/targets.h"

namespace graspd::sync {
namespace {

constexpr std::uint32_t kRepos = 10'000, kRootsPerRepo = 50, kRelays = 500, kRelaysPerRepo = 8;

nostr::EventId event_id(std::uint64_t number) {
  core::Rng rng(number);
  nostr::EventId::Bytes bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return nostr::EventId(bytes);
}
nostr::Address address(std::uint32_t number) {
  return {{30617}, {}, "repository-" + std::to_string(number)};
}

struct Model {
  RepoIndex index;
  Targets targets;
  std::uint64_t roots = 0;

  void add_root(std::uint32_t repo) {
    const auto id = event_id(roots++);
    const auto gained = index.add_root(id, {address(repo)}, 1'800'000'000);
    targets.root_added(index, *index.find_root(id), gained);
  }
  Model() {
    core::Rng rng(1);
    for (std::uint32_t number = 0; number < kRepos; ++number) {
      std::set<RelayId> relays{RelayId{0}};  // one that lists them all
      while (relays.size() < kRelaysPerRepo) {
        relays.insert(RelayId{static_cast<std::uint32_t>(rng.below(kRelays))});
      }
      const RepoId id = index.repo(address(number));
      const Repo before = index.at(id);
      index.follow(id, Level::Full, {relays.begin(), relays.end()});
      targets.repo_changed(index, id, before);
    }
    for (std::uint32_t i = 0; i < kRootsPerRepo; ++i) {
      for (std::uint32_t repo = 0; repo < kRepos; ++repo) add_root(repo);
    }
  }
};

Model& model() {
  static Model made;
  return made;
}

void BM_BytesOfTargetsAndConfirmed(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (const auto& [relay, target] : model().targets.all()) {
      bytes += 2 * (target.repos.bytes() + target.roots.bytes());
    }
  }
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK(BM_BytesOfTargetsAndConfirmed);

void BM_FullRecomputation(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(inverted(model().index));
}
BENCHMARK(BM_FullRecomputation)->Unit(benchmark::kMillisecond);

// A thousand new roots on eight relays each, and what is new on every relay.
void BM_PlanBatchOfThousandRoots(benchmark::State& state) {
  Model& world = model();
  std::map<RelayId, Items> confirmed = world.targets.all();
  core::Rng rng(2);
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) world.add_root(static_cast<std::uint32_t>(rng.below(kRepos)));
    for (const auto& [relay, change] : world.targets.take_changed()) {
      const Items fresh = new_work(change.grown, {}, confirmed[relay]);
      benchmark::DoNotOptimize(fresh.size());
      confirmed[relay] |= fresh;
    }
  }
}
BENCHMARK(BM_PlanBatchOfThousandRoots)->Unit(benchmark::kMillisecond);

void BM_LivePlanOfARelayWithEverything(benchmark::State& state) {
  Model& world = model();
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_live(world.index, world.targets.of(RelayId{0}), {},
                                       {.wide = true, .now = 1'800'000'000}, {}));
  }
}
BENCHMARK(BM_LivePlanOfARelayWithEverything)->Unit(benchmark::kMillisecond);

void BM_LivePlanOfAUsualRelay(benchmark::State& state) {
  Model& world = model();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        plan_live(world.index, world.targets.of(RelayId{7}), {}, {.wide = true}, {}));
  }
}
BENCHMARK(BM_LivePlanOfAUsualRelay)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace graspd::sync
