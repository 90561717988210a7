#include "negentropy/reply.h"

#include <gtest/gtest.h>

#include "negentropy/random_items.h"

namespace graspd::negentropy {
namespace reply_test {

ItemSet some_items(std::size_t count) {
  core::Rng rng(count);
  return ItemSet(random_items(rng, count, 1'700'000'000, 1 + count / 4));
}

Section all_of(const ItemSet& items) { return {Bound{}, Bound::infinity(), 0, items.size()}; }

// Cuts the items into sections of `length`.
std::vector<Section> cut(const ItemSet& items, std::size_t length) {
  std::vector<Section> sections;
  Bound lower;
  for (std::size_t begin = 0; begin < items.size(); begin += length) {
    const std::size_t end = std::min(begin + length, items.size());
    const Bound upper =
        end == items.size() ? Bound::infinity() : Bound::between(items[end - 1], items[end]);
    sections.push_back({lower, upper, begin, end});
    lower = upper;
  }
  return sections;
}

std::vector<Range> read_back(const std::string& message) {
  EXPECT_EQ(message.front(), '\x61');
  std::vector<Range> ranges;
  for (RangeReader reader(std::string_view(message).substr(1)); !reader.done();) {
    const auto range = reader.next();
    EXPECT_TRUE(range);
    if (!range) break;
    ranges.push_back(*range);
  }
  return ranges;
}

bool is_skip(const Range& range) { return std::holds_alternative<Skip>(range.payload); }

TEST(Reply, IsTheVersionAloneWhenNothingIsOpen) {  // R2
  const ItemSet items = some_items(10);
  Reply reply(items, 0);
  EXPECT_TRUE(reply.settled());
  EXPECT_EQ(std::move(reply).finish(), "\x61");
}

TEST(Reply, ListsFewItemsAndSplitsMany) {  // R3
  const ItemSet few = some_items(31);
  Reply listed(few, 0);
  listed.split(all_of(few));
  EXPECT_FALSE(listed.settled());
  const std::string list = std::move(listed).finish();
  ASSERT_EQ(read_back(list).size(), 1u);
  EXPECT_EQ(std::get<IdList>(read_back(list)[0].payload).size(), 31u);

  const ItemSet many = some_items(37);
  Reply split(many, 0);
  split.split(all_of(many));
  const auto ranges = read_back(std::move(split).finish());
  ASSERT_EQ(ranges.size(), 16u);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::size_t end = begin + (i < 5 ? 3 : 2);
    EXPECT_EQ(find_bound(many, 0, ranges[i].upper), end);
    EXPECT_EQ(std::get<Fingerprint>(ranges[i].payload), many.fingerprint(begin, end));
    begin = end;
  }
  EXPECT_EQ(ranges.back().upper, Bound::infinity());
}

TEST(Reply, CoversSettledNeighboursWithOneSkip) {  // R2
  const ItemSet items = some_items(100);
  const auto sections = cut(items, 10);
  Reply reply(items, 0);
  reply.list(sections[0]);
  reply.list(sections[4]);
  reply.list(sections[5]);
  const std::string message = std::move(reply).finish();
  const auto ranges = read_back(message);
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_TRUE(is_skip(ranges[1]));
  EXPECT_EQ(ranges[1].upper, sections[4].lower);
  EXPECT_EQ(ranges[3].upper, sections[5].upper);
}

TEST(Reply, CutsALongListAndFingerprintsTheRest) {  // R1
  const ItemSet items = some_items(500);
  Reply reply(items, 5'000);
  reply.list(all_of(items));
  const std::string message = std::move(reply).finish();
  EXPECT_LE(message.size(), 5'000u);
  EXPECT_GE(message.size(), 4'700u);
  const auto ranges = read_back(message);
  ASSERT_EQ(ranges.size(), 2u);
  const std::size_t listed = std::get<IdList>(ranges[0].payload).size();
  EXPECT_EQ(find_bound(items, 0, ranges[0].upper), listed);
  EXPECT_EQ(std::get<Fingerprint>(ranges[1].payload), items.fingerprint(listed, 500));
  EXPECT_EQ(ranges[1].upper, Bound::infinity());
}

TEST(Reply, LeavesOpenFromTheFirstThatDoesNotFitToTheEndOfTheLast) {  // R1
  const ItemSet items = some_items(4'000);
  const auto sections = cut(items, 40);
  for (std::size_t frame = kFrameMin; frame < kFrameMin + 600; frame += 7) {
    Reply reply(items, frame);
    for (std::size_t i = 1; i < 90; i += 2) reply.split(sections[i]);
    const std::string message = std::move(reply).finish();
    EXPECT_LE(message.size(), frame);
    const auto ranges = read_back(message);
    ASSERT_GT(ranges.size(), 2u);
    EXPECT_EQ(ranges.back().upper, sections[89].upper);
    const std::size_t begin = find_bound(items, 0, ranges[ranges.size() - 2].upper);
    EXPECT_EQ(std::get<Fingerprint>(ranges.back().payload),
              items.fingerprint(begin, sections[89].end));
  }
}

TEST(Reply, RaisesAFrameThatIsTooSmall) {
  const ItemSet items = some_items(500);
  Reply reply(items, 1);
  reply.list(all_of(items));
  const std::string message = std::move(reply).finish();
  EXPECT_LE(message.size(), kFrameMin);
  EXPECT_GT(message.size(), kFrameMin - 300);
}

}  // namespace reply_test
}  // namespace graspd::negentropy
