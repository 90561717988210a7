// How many rounds and bytes a reconciliation takes: what counts on a long line. Rule numbers are
// those of negentropy/reconciler.h.
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

#include "negentropy/plain_client.h"
#include "negentropy/random_items.h"
#include "negentropy/reconciler.h"

namespace graspd::negentropy {
namespace rounds_test {

constexpr std::size_t kItems = 100'000;
constexpr std::size_t kClientFrames[] = {60'000, 0};  // what clients send at most

struct Sides {
  std::vector<Item> client, server;
};

// An item in `nth` is missing on the client's side.
Sides without_one_in(std::uint64_t nth) {
  core::Rng rng(1);
  Sides sides;
  for (const Item& item : random_items(rng, kItems, 1'600'000'000, 10'000'000)) {
    sides.server.push_back(item);
    if (rng.below(nth) != 0) sides.client.push_back(item);
  }
  return sides;
}

// One item in `nth` is on one side only, as often here as there.
Sides differing_in_one_of(std::uint64_t nth) {
  core::Rng rng(2);
  Sides sides;
  for (const Item& item : random_items(rng, kItems, 1'600'000'000, 10'000'000)) {
    const std::uint64_t draw = rng.below(2 * nth);
    if (draw != 0) sides.client.push_back(item);
    if (draw != 1) sides.server.push_back(item);
  }
  return sides;
}

struct Cost {
  std::size_t rounds = 0, up = 0, down = 0;
};

std::size_t text_of(const std::string& message) { return 2 * message.size(); }  // hex

Cost plainly(const Sides& sides, std::size_t client_frame) {
  const ItemSet mine(sides.client);
  PlainClient client(mine, client_frame);
  const Responder relay(std::make_shared<const ItemSet>(sides.server),
                        {.frame_max = kAnswerFrameMax});
  Cost cost;
  for (auto message = std::optional(client.initial_message()); message && cost.rounds < 200;) {
    const auto answer = relay.respond(*message);
    EXPECT_TRUE(answer && answer->size() <= kAnswerFrameMax);
    ++cost.rounds;
    cost.up += text_of(*message);
    cost.down += text_of(*answer);
    message = client.reconcile(*answer);
  }
  std::set<Id> ours, theirs, need, have;
  for (const Item& item : sides.client) ours.insert(item.id);
  for (const Item& item : sides.server) theirs.insert(item.id);
  std::ranges::set_difference(theirs, ours, std::inserter(need, need.end()));
  std::ranges::set_difference(ours, theirs, std::inserter(have, have.end()));
  EXPECT_EQ(client.need() == need, true);
  EXPECT_EQ(client.have() == have, true);
  return cost;
}

TEST(Rounds, AreFewForAnyClientWhenHalfDiffers) {  // R7
  for (const std::size_t frame : kClientFrames)
    for (const Sides& sides : {without_one_in(2), differing_in_one_of(2)}) {
      const Cost cost = plainly(sides, frame);
      EXPECT_LE(cost.rounds, 9u) << frame;
      EXPECT_LE(cost.up, 400'000u) << frame;
      EXPECT_LE(cost.down, 6'700'000u) << "about the ids themselves, " << frame;
    }
}

TEST(Rounds, AreFewForAnyClientWhenOnePercentDiffers) {
  for (const std::size_t frame : kClientFrames)
    for (const Sides& sides : {without_one_in(100), differing_in_one_of(100)}) {
      const Cost cost = plainly(sides, frame);
      EXPECT_LE(cost.rounds, 4u) << frame;
      EXPECT_LE(cost.up, 300'000u) << frame;
      EXPECT_LE(cost.down, 2'000'000u) << frame;
    }
}

TEST(Rounds, AreFewForAClientThatMissesTheNewest) {
  Sides sides = without_one_in(kItems * 10);
  std::sort(sides.server.begin(), sides.server.end());
  for (const auto& [missing, rounds] : {std::pair{kItems / 100, 2u}, std::pair{kItems / 2, 5u}}) {
    sides.client.assign(sides.server.begin(), sides.server.end() - static_cast<long>(missing));
    const Cost cost = plainly(sides, 60'000);
    EXPECT_LE(cost.rounds, rounds) << missing;
    EXPECT_LE(cost.up, 10'000u) << missing;
  }
}

TEST(Rounds, AreFewBetweenTwoServersOfOurs) {  // R7
  const auto run = [](const Sides& sides) {
    Initiator initiator(std::make_shared<const ItemSet>(sides.client),
                        {.frame_max = kAnswerFrameMax});
    const Responder responder(std::make_shared<const ItemSet>(sides.server),
                              {.frame_max = kAnswerFrameMax});
    Cost cost;
    for (auto message = std::optional(initiator.initial_message()); message;) {
      const auto answer = responder.respond(*message);
      ++cost.rounds;
      cost.up += text_of(*message);
      message = initiator.reconcile(*answer)->next;
    }
    return cost;
  };
  EXPECT_LE(run(without_one_in(100)).rounds, 3u);
  EXPECT_LE(run(without_one_in(2)).rounds, 9u);
  EXPECT_LE(run(without_one_in(2)).up, 500'000u);
}

TEST(Rounds, OfAnInitiatorThatSendsNoIdsAreNotMoreAgainstOthers) {  // R7
  const Sides sides = without_one_in(100);
  Initiator initiator(std::make_shared<const ItemSet>(sides.client), {.frame_max = 60'000});
  const Responder responder(std::make_shared<const ItemSet>(sides.server), {.frame_max = 60'000});
  std::size_t ids = 0;
  for (auto message = std::optional(initiator.initial_message()); message;) {
    for (RangeReader ranges(std::string_view(*message).substr(1)); !ranges.done();) {
      const auto range = ranges.next();
      ASSERT_TRUE(range);
      if (const auto* list = std::get_if<IdList>(&range->payload)) ids += list->size();
    }
    message = initiator.reconcile(*responder.respond(*message))->next;
  }
  EXPECT_LT(ids, kItems / 100);
}

}  // namespace rounds_test
}  // namespace graspd::negentropy
