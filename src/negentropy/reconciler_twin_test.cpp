// Both sides against each other, compared with plain set difference.
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>

#include "negentropy/random_items.h"
#include "negentropy/reconciler.h"
#include "negentropy/reply.h"

namespace graspd::negentropy {
namespace reconciler_twin_test {

struct Pair {
  std::vector<Item> here;
  std::vector<Item> there;
};

struct Frames {
  std::size_t here = 0;
  std::size_t there = 0;
};

struct Outcome {
  std::vector<Id> have;
  std::vector<Id> need;
  std::size_t rounds = 0;
};

std::vector<Id> ids_missing(std::vector<Item> from, std::vector<Item> in) {
  std::sort(from.begin(), from.end());
  std::sort(in.begin(), in.end());
  std::vector<Item> missing;
  std::set_difference(from.begin(), from.end(), in.begin(), in.end(), std::back_inserter(missing));
  std::vector<Id> ids;
  for (const Item& item : missing) ids.push_back(item.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::size_t limit_of(std::size_t frame) {
  return frame == 0 ? std::numeric_limits<std::size_t>::max() : std::max(frame, kFrameMin);
}

// A fixed depth, plus what the frames force: at worst each id is sent, and costs a fingerprint on
// its way down.
std::size_t rounds_max(const Pair& sets, const Frames& frames) {
  constexpr std::size_t kDepth = 8;
  constexpr std::size_t kBytesPerItem = sizeof(Id) + 40;
  const std::size_t frame = std::min(limit_of(frames.here), limit_of(frames.there));
  const std::size_t bytes = (sets.here.size() + sets.there.size()) * kBytesPerItem;
  return kDepth + kDepth * (bytes / frame);
}

Outcome run(const Pair& sets, const Frames& frames) {
  Initiator initiator(std::make_shared<const ItemSet>(sets.here), {.frame_max = frames.here});
  const Responder responder(std::make_shared<const ItemSet>(sets.there),
                            {.frame_max = frames.there});
  Outcome outcome;
  std::optional<std::string> message = initiator.initial_message();
  while (message) {
    EXPECT_TRUE(message->size() <= limit_of(frames.here));
    const auto response = responder.respond(*message);
    EXPECT_TRUE(response && response->size() <= limit_of(frames.there));
    auto step = initiator.reconcile(*response);
    EXPECT_TRUE(step);
    std::ranges::copy(step->have, std::back_inserter(outcome.have));
    std::ranges::copy(step->need, std::back_inserter(outcome.need));
    message = std::move(step->next);
    if (++outcome.rounds > rounds_max(sets, frames)) break;
  }
  std::sort(outcome.have.begin(), outcome.have.end());
  std::sort(outcome.need.begin(), outcome.need.end());
  EXPECT_LE(outcome.rounds, rounds_max(sets, frames));
  return outcome;
}

void expect_difference(const Pair& sets, const Frames& frames) {
  SCOPED_TRACE(testing::Message() << sets.here.size() << " items here, " << sets.there.size()
                                  << " there, frames " << frames.here << " and " << frames.there);
  const Outcome outcome = run(sets, frames);
  // No id twice, so the lists themselves must be equal.
  EXPECT_EQ(outcome.have, ids_missing(sets.here, sets.there));  // R5
  EXPECT_EQ(outcome.need, ids_missing(sets.there, sets.here));
}

// Every item is on one side or both; `here` and `there` are the chances in 100 to be on one only.
Pair random_pair(core::Rng& rng, std::size_t count, std::uint64_t seconds, std::uint64_t here,
                 std::uint64_t there) {
  const std::uint64_t latest = kInfinity - seconds;  // so that 2^64 - 2 is the last to occur
  const std::uint64_t firsts[] = {0, 1'700'000'000, latest};
  Pair sets;
  for (const Item& item : random_items(rng, count, firsts[rng.below(3)], seconds)) {
    const std::uint64_t draw = rng.below(100);
    if (draw >= there) sets.here.push_back(item);
    if (draw < there || draw >= there + here) sets.there.push_back(item);
  }
  return sets;
}

constexpr std::size_t kFrames[] = {0, 4096, 5000, 60'000, 1, 4097};

Frames random_frames(core::Rng& rng) {
  return {kFrames[rng.below(std::size(kFrames))], kFrames[rng.below(std::size(kFrames))]};
}

TEST(ReconcilerTwin, FindsTheDifferenceOfManySmallSets) {  // R1
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    core::Rng rng(seed);
    const std::size_t count = rng.below(rng.one_in(10) ? 1'500 : 150);
    const std::uint64_t here = rng.below(101);
    const auto sets =
        random_pair(rng, count, 1 + rng.below(1 + count), here, rng.below(101 - here));
    expect_difference(sets, random_frames(rng));
    if (HasFailure()) return;
  }
}

TEST(ReconcilerTwin, FindsTheDifferenceOfLargeSetsWithEveryFrame) {  // R1
  core::Rng rng(77);
  for (const std::size_t frame : kFrames)
    for (const std::uint64_t percent : {0, 1, 10}) {
      const auto sets = random_pair(rng, 20'000, 5'000, percent, percent);
      expect_difference(sets, {frame, frame});
      expect_difference(sets, {frame, 0});
      expect_difference(sets, {60'000, frame});
    }
}

TEST(ReconcilerTwin, FindsTheDifferenceOfAHundredThousand) {
  core::Rng rng(78);
  expect_difference(random_pair(rng, 100'000, 1'000'000, 1, 1), {60'000, 60'000});
  expect_difference(random_pair(rng, 100'000, 30, 20, 20), {4'096, 60'000});
  expect_difference(random_pair(rng, 100'000, 1, 0, 0), {60'000, 60'000});
}

TEST(ReconcilerTwin, ReconcilesSubsetsAndDisjointSets) {
  core::Rng rng(79);
  for (const std::size_t count : {1, 31, 32, 33, 5'000})
    for (const std::size_t frame : kFrames) {
      const auto items = random_items(rng, count, 1'000, 1 + count / 2);
      const auto others = random_items(rng, count / 2 + 1, 1'000, 1 + count / 2);
      const std::vector<Item> half(items.begin(), items.begin() + static_cast<long>(count / 2));
      for (const Pair& sets : {Pair{items, {}}, Pair{{}, items}, Pair{items, half},
                               Pair{half, items}, Pair{items, others}, Pair{items, items}})
        expect_difference(sets, {frame, frame});
    }
}

TEST(ReconcilerTwin, TellsTheFirstAndTheLastTimestampApart) {
  core::Rng rng(80);
  const auto first = random_items(rng, 100, 0, 1);
  const auto last = random_items(rng, 100, kInfinity - 1, 1);
  Pair sets{first, first};
  sets.here.insert(sets.here.end(), last.begin(), last.begin() + 60);
  sets.there.insert(sets.there.end(), last.begin() + 40, last.end());
  expect_difference(sets, {0, 0});
  expect_difference(sets, {4096, 4096});
}

TEST(ReconcilerTwin, SettlesEqualSetsInOneRound) {
  core::Rng rng(81);
  const auto items = random_items(rng, 10'000, 0, 10'000);
  EXPECT_EQ(run({items, items}, {60'000, 60'000}).rounds, 1u);
}

}  // namespace reconciler_twin_test
}  // namespace graspd::negentropy
