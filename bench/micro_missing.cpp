// What a state of 10,000 refs lacks: nothing, or all of it; objects in one pack, as after a fetch.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "core/check.h"
#include "gitio/missing.h"
#include "gitio/repositories_testing.h"
#include "gitio/repository.h"

namespace {

using namespace graspd;

constexpr int kRefs = 10'000;

struct World {
  gitio::testing::TemporaryFolder folder;
  std::filesystem::path repository = gitio::testing::make_repository(folder.path() / "a.git");
  std::vector<git::Oid> here, nowhere;

  World() {
    std::string stream;
    for (int i = 0; i < kRefs; ++i)
      stream +=
          fmt::format("commit refs/heads/b{}\ncommitter A <a@example.com> {} +0000\ndata 0\n\n", i,
                      1'600'000'000 + i);
    gitio::testing::git(repository, {"fast-import", "--quiet"}, stream);
    const auto refs = gitio::Repository::open(repository)->heads_and_tags();
    for (const auto& [ref, oid] : *refs) here.push_back(oid);
    for (int i = 0; i < kRefs; ++i)
      nowhere.push_back(*git::Oid::parse(fmt::format("{:08x}{:032x}", i * 400'009U, i)));
    CHECK(here.size() == kRefs);
  }
};

World& world() {
  static World made;
  return made;
}

void ask(benchmark::State& state, const std::vector<git::Oid>& oids, std::size_t lacking) {
  for (auto _ : state) {
    const auto missing = gitio::missing(world().repository, oids);
    CHECK(missing && missing->size() == lacking);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(oids.size()));
}

void BM_AllHere(benchmark::State& state) { ask(state, world().here, 0); }
BENCHMARK(BM_AllHere)->Unit(benchmark::kMillisecond);

void BM_NoneHere(benchmark::State& state) { ask(state, world().nowhere, kRefs); }
BENCHMARK(BM_NoneHere)->Unit(benchmark::kMillisecond);

void BM_AllHereAndWhole(benchmark::State& state) {
  for (auto _ : state) {
    const auto found = gitio::lacking(world().repository, world().here, std::chrono::minutes(1));
    CHECK(found && found->empty());
  }
}
BENCHMARK(BM_AllHereAndWhole)->Unit(benchmark::kMillisecond);

}  // namespace
