#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/random_world.h"
#include "sim/seeds.h"

namespace graspd::sim {
namespace {

class LineHash {  // FNV-1a
 public:
  void add(const std::string& line) {
    for (const char one : line + "\n")
      value_ = (value_ ^ static_cast<unsigned char>(one)) * 1099511628211ULL;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 1469598103934665603ULL;
};

Outcome live_and_tell(std::uint64_t seed, Fate fate, const SeedRange& how) {
  if (how.trace)
    return live_through(seed, fate, [](const std::string& line) { std::puts(line.c_str()); });
  if (!how.hashes) return live_through(seed, fate);
  LineHash hash;
  const Outcome outcome = live_through(seed, fate, [&](const auto& line) { hash.add(line); });
  fmt::print("{} {} {:016x}\n", fate == Fate::Usual ? "usual" : "harsh", seed, hash.value());
  return outcome;
}

void live_through_all(Fate fate) {
  const SeedRange seeds = seeds_to_run();
  std::uint64_t steps = 0, failed = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const Outcome outcome = live_and_tell(seed, fate, seeds);
    steps += outcome.steps;
    if (outcome.complete) continue;
    ADD_FAILURE() << "seed " << seed << " after " << outcome.hours << " h and " << outcome.steps
                  << " steps: " << outcome.trouble << "\nreplay: sim_test --gtest_filter=Random."
                  << (fate == Fate::Usual ? "When" : "Harsh") << "* --trace --seed=" << seed;
    if (++failed >= seeds.failures_max) break;
  }
  testing::Test::RecordProperty("steps", fmt::format("{}", steps));
}

// 16
TEST(Random, WhenTheNetworkHealsOurStoreIsWhatWasPublishable) { live_through_all(Fate::Usual); }

TEST(Random, HarshLivesEndWellToo) { live_through_all(Fate::Harsh); }

// Each lost something once, in a way that no scenario has in so few words.
TEST(Random, LivesThatOnceFailedEndWell) {
  for (const std::uint64_t seed : {67810, 186474, 269382, 303209, 350138, 403402})
    EXPECT_TRUE(live_through(seed, Fate::Usual).complete) << "seed " << seed;
  for (const std::uint64_t seed :
       {9665, 39520, 101031, 106368, 109298, 112548, 154141, 161704, 173568, 179986, 189597})
    EXPECT_TRUE(live_through(seed, Fate::Harsh).complete) << "seed " << seed;
}

TEST(Random, TheSameSeedIsTheSameLife) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(live_through(seed).trace, live_through(seed).trace) << "seed " << seed;
  }
}

}  // namespace
}  // namespace graspd::sim
