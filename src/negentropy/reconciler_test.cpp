#include "negentropy/reconciler.h"

#include <gtest/gtest.h>

#include "core/hex.h"
#include "core/sha256.h"
#include "negentropy/random_items.h"
#include "negentropy/reply.h"

namespace graspd::negentropy {
namespace reconciler_test {

using namespace std::string_literals;

std::shared_ptr<const ItemSet> set_of(std::vector<Item> items) {
  return std::make_shared<const ItemSet>(std::move(items));
}

std::shared_ptr<const ItemSet> random_set(std::uint64_t seed, std::size_t count) {
  core::Rng rng(seed);
  return set_of(random_items(rng, count, 1'700'000'000, 1 + count / 4));
}

TEST(Responder, AnswersAnotherVersionWithItsOwn) {  // R3
  const Responder responder(random_set(1, 10), {});
  EXPECT_EQ(*responder.respond("\x62whatever"), "\x61");
  EXPECT_EQ(*responder.respond("\x60"), "\x61");
}

TEST(Responder, RefusesWhatIsNoVersion) {
  const Responder responder(random_set(1, 10), {});
  EXPECT_EQ(responder.respond("").error(), BadMessage::Truncated);
  EXPECT_EQ(responder.respond("\x5f\x00\x00\x00"s).error(), BadMessage::Version);
  EXPECT_EQ(responder.respond("{}").error(), BadMessage::Version);
}

TEST(Responder, HasNothingToAddToEqualSets) {
  for (const std::size_t count : {0, 1, 31, 32, 1000}) {
    const auto items = random_set(2, count);
    const Initiator initiator(items, {});
    EXPECT_EQ(*Responder(items, {}).respond(initiator.initial_message()), "\x61") << count;
  }
}

TEST(Responder, ListsAllItsIdsForAListThatDiffers) {
  const Id id = Id{7};
  const Responder responder(set_of({{3, id}}), {});
  const std::string ids(id.begin(), id.end());
  EXPECT_EQ(*responder.respond("\x61\x00\x00\x02\x00"s), "\x61\x00\x00\x02\x01"s + ids);
  EXPECT_EQ(*responder.respond("\x61\x05\x00\x02\x00"s), "\x61\x05\x00\x02\x01"s + ids);
  EXPECT_EQ(*responder.respond("\x61\x04\x00\x02\x00"s), "\x61") << "the item is not in the range";
}

TEST(Responder, KeepsNothingBetweenMessages) {  // R4
  const Responder responder(random_set(3, 1000), {});
  const std::string message = Initiator(random_set(4, 900), {}).initial_message();
  EXPECT_EQ(*responder.respond(message), *responder.respond(message));
}

TEST(Initiator, StartsWithAListOrSixteenFingerprints) {
  EXPECT_EQ(Initiator(set_of({}), {}).initial_message(), "\x61\x00\x00\x02\x00"s);
  const std::string message = Initiator(random_set(5, 1000), {}).initial_message();
  std::size_t ranges = 0;
  for (RangeReader reader(std::string_view(message).substr(1)); !reader.done(); ++ranges)
    ASSERT_TRUE(reader.next());
  EXPECT_EQ(ranges, 16u);
}

TEST(Initiator, LearnsFromAListWhatEachSideLacks) {
  Initiator initiator(set_of({{1, Id{1}}, {2, Id{2}}, {9, Id{9}}}), {});
  const ItemSet theirs({{2, Id{2}}, {3, Id{3}}});
  Reply list(theirs, 0);
  Bound upper;
  upper.item.timestamp = 5;
  list.list({Bound{}, upper, 0, 2});
  const auto step = initiator.reconcile(std::move(list).finish());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->have, (std::vector<Id>{Id{1}})) << "item 9 lies behind the list";
  EXPECT_EQ(step->need, (std::vector<Id>{Id{3}}));
  EXPECT_FALSE(step->next);
}

TEST(Initiator, ReportsAnIdOnce) {  // R5
  Initiator initiator(set_of({{1, Id{1}}}), {});
  const ItemSet theirs({{3, Id{3}}});
  Reply list(theirs, 0);
  list.list({Bound{}, Bound::infinity(), 0, 1});
  const std::string message = std::move(list).finish();
  const auto first = initiator.reconcile(message);
  EXPECT_EQ(first->have.size() + first->need.size(), 2u);
  const auto second = initiator.reconcile(message);
  EXPECT_EQ(second->have.size() + second->need.size(), 0u);
}

TEST(Initiator, RefusesAnotherVersion) {
  Initiator initiator(random_set(6, 10), {});
  EXPECT_EQ(initiator.reconcile("").error(), BadMessage::Truncated);
  EXPECT_EQ(initiator.reconcile("\x62").error(), BadMessage::Version);
}

TEST(Initiator, RefusesAPeerThatInventsIdsWithoutEnd) {
  Initiator initiator(set_of({}), {.need_max = 10});
  const auto theirs = random_set(7, 11);
  const auto message = Responder(theirs, {}).respond(initiator.initial_message());
  EXPECT_EQ(initiator.reconcile(*message).error(), BadMessage::TooManyIds);
}

std::string digest(std::string_view message) { return core::encode_hex(core::sha256(message)); }

// Digests of what the Rust implementation (crate negentropy 0.5.3) writes for the same items.
TEST(Reconciler, WritesWhatOtherImplementationsWrite) {
  std::vector<Item> here, there;
  for (std::uint8_t i = 0; i < 100; ++i) {
    Item item{i / 2u, {}};
    item.id.fill(i);
    here.push_back(item);
    if (i % 10 != 3) there.push_back(item);
  }
  const std::string first = Initiator(set_of(here), {}).initial_message();
  EXPECT_EQ(digest(first), "5bd163ed88e7c7e3b81f4a27428cd4d5d9e3c5911ee7122918260dcae91ebbd0");
  const std::string second = *Responder(set_of(there), {}).respond(first);
  EXPECT_EQ(second.size(), 1'754u);
  EXPECT_EQ(digest(second), "27728dd0c27c25b21d74786b8bd3d065285ebbf1cb02288d66700b0072114f1d");
}

// Cut anywhere but between two ranges, a message is refused; whole ranges are understood.
TEST(Reconciler, RefusesEveryTruncatedMessage) {  // R2
  const Responder responder(random_set(8, 300), {});
  const std::string first = Initiator(random_set(9, 290), {}).initial_message();
  const std::string second = *responder.respond(first);
  for (const std::string& message : {first, second}) {
    std::vector<bool> ends_a_range(message.size() + 1);
    ends_a_range[1] = true;
    std::string_view left = std::string_view(message).substr(1);
    for (RangeReader reader(left); !reader.done();) {
      ASSERT_TRUE(reader.next());
      ends_a_range[message.size() - reader.left()] = true;
    }
    for (std::size_t length = 0; length <= message.size(); ++length) {
      const std::string_view cut = std::string_view(message).substr(0, length);
      Initiator initiator(random_set(9, 290), {});
      EXPECT_EQ(static_cast<bool>(responder.respond(cut)), ends_a_range[length]) << length;
      EXPECT_EQ(static_cast<bool>(initiator.reconcile(cut)), ends_a_range[length]) << length;
    }
  }
}

TEST(Reconciler, SurvivesChangedBytes) {
  core::Rng rng(10);
  const auto ours = random_set(11, 300);
  const Responder responder(ours, {});
  const std::string valid = Initiator(random_set(12, 3'000), {}).initial_message();
  std::size_t refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    std::string message = valid;
    for (std::uint64_t changes = 1 + rng.below(10); changes > 0; --changes)
      message[rng.below(message.size())] = static_cast<char>(rng.next());
    Initiator initiator(ours, {});
    const bool understood = static_cast<bool>(responder.respond(message));
    EXPECT_TRUE(understood == static_cast<bool>(initiator.reconcile(message)) ||
                message.front() != '\x61');
    refused += !understood;
  }
  EXPECT_GT(refused, 200u);
  EXPECT_LT(refused, 1'800u);
}

}  // namespace reconciler_test
}  // namespace graspd::negentropy
