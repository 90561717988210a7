#include "negentropy/bound.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "negentropy/random_items.h"

namespace graspd::negentropy {
namespace bound_test {

using namespace std::string_literals;

Bound at(std::uint64_t timestamp, std::string_view prefix = "") {
  Bound bound;
  bound.item.timestamp = timestamp;
  bound.prefix = prefix.size();
  std::copy(prefix.begin(), prefix.end(), bound.item.id.begin());
  return bound;
}

Item item(std::uint64_t timestamp, std::string_view id) { return at(timestamp, id).item; }

std::string written(const std::vector<Bound>& bounds) {
  std::string out;
  std::uint64_t timestamp = 0;
  for (const Bound& bound : bounds) append_bound(out, timestamp, bound);
  return out;
}

BadMessage refusal(std::string_view bytes, std::uint64_t timestamp = 0) {
  return read_bound(bytes, timestamp).error();
}

TEST(Bound, SendsTheDifferenceOfTimestampsPlusOne) {  // R2
  EXPECT_EQ(written({at(0)}), "\x01\x00"s);
  EXPECT_EQ(written({at(5)}), "\x06\x00"s);
  EXPECT_EQ(written({at(5), at(5, "ab"), at(305)}), "\x06\x00\x01\x02"s + "ab" + "\x82\x2d\x00"s);
  EXPECT_EQ(written({at(7), Bound::infinity()}), "\x08\x00\x00\x00"s);
  EXPECT_EQ(written({at(kInfinity - 1)}), "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00"s);
}

TEST(Bound, IsReadBackAsItWasWritten) {
  const std::string whole(32, 'z');
  const std::vector<Bound> bounds = {at(0),     at(0, "\x01"),     at(9, whole),
                                     at(1'000), at(kInfinity - 1), Bound::infinity()};
  const std::string bytes = written(bounds);
  std::string_view view = bytes;
  std::uint64_t timestamp = 0;
  for (const Bound& bound : bounds) {
    const auto read = read_bound(view, timestamp);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, bound);
    EXPECT_EQ(read->prefix, bound.prefix);
  }
  EXPECT_TRUE(view.empty());
}

TEST(Bound, RefusesAPrefixLongerThanAnId) {  // R1
  EXPECT_EQ(refusal("\x01\x21"s + std::string(33, 'a')), BadMessage::Bounds);
  EXPECT_EQ(refusal("\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s), BadMessage::Bounds);
}

TEST(Bound, RefusesAPrefixThatIsCutShort) {
  EXPECT_EQ(refusal("\x01\x20"s + std::string(31, 'a')), BadMessage::Truncated);
  EXPECT_EQ(refusal("\x01"), BadMessage::Truncated);
  EXPECT_EQ(refusal(""), BadMessage::Truncated);
}

TEST(Bound, RefusesTimestampsThatReachOrPassInfinity) {  // R3
  EXPECT_EQ(refusal("\x02\x00"s, kInfinity - 1), BadMessage::Bounds);
  EXPECT_EQ(refusal("\x03\x00"s, kInfinity - 1), BadMessage::Bounds);
  EXPECT_EQ(refusal("\x01\x00"s, kInfinity), BadMessage::Bounds);
  EXPECT_EQ(refusal("\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00"s, 1), BadMessage::Bounds);
}

TEST(Bound, RefusesInfinityWithAPrefix) {  // R3
  EXPECT_EQ(refusal("\x00\x01z"s), BadMessage::Bounds);
}

TEST(Bound, NeedsNoPrefixBetweenDifferentSeconds) {
  const Bound bound = Bound::between(item(4, "zz"), item(6, "aa"));
  EXPECT_EQ(bound, at(6));
  EXPECT_EQ(bound.prefix, 0u);
}

TEST(Bound, TakesOneByteMoreThanIsCommonInOneSecond) {
  const Bound bound = Bound::between(item(4, "abcd"), item(4, "abxd"));
  EXPECT_EQ(bound, at(4, "abx"));
  EXPECT_EQ(bound.prefix, 3u);
  const std::string common(31, 'c');
  EXPECT_EQ(Bound::between(item(4, common + "a"), item(4, common + "b")).prefix, 32u);
}

TEST(Bound, IsFoundWhereALinearSearchFindsIt) {
  core::Rng rng(11);
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<Item> items = random_items(rng, count, 0, 1 + count / 3);
    std::sort(items.begin(), items.end());
    const ItemSet set(items);
    std::vector<Bound> bounds = {at(0), at(count), Bound::infinity()};
    for (std::size_t i = 1; i < count; ++i)
      bounds.push_back(Bound::between(items[i - 1], items[i]));
    for (const Bound& bound : bounds)
      for (std::size_t from = 0; from <= count; ++from) {
        std::size_t naive = from;
        while (naive < count && items[naive] < bound.item) ++naive;
        ASSERT_EQ(find_bound(set, from, bound), naive) << count << " items from " << from;
      }
  }
}

}  // namespace bound_test
}  // namespace graspd::negentropy
