#include "negentropy/range_reader.h"

#include <gtest/gtest.h>

namespace graspd::negentropy {
namespace range_reader_test {

using namespace std::string_literals;

const std::string kSkipTo5 = "\x06\x00\x00"s;
const std::string kSkipToInfinity = "\x00\x00\x00"s;

// Reads to the end or the first failure.
core::Result<std::vector<Range>, BadMessage> read_all(std::string_view bytes) {
  std::vector<Range> ranges;
  for (RangeReader reader(bytes); !reader.done();) {
    auto range = reader.next();
    if (!range) return core::Failure{range.error()};
    ranges.push_back(*range);
  }
  return ranges;
}

TEST(RangeReader, ReadsEveryMode) {
  const std::string message = kSkipTo5 + "\x03\x01z\x01"s + std::string(16, 'f') +
                              "\x00\x00\x02\x02"s + std::string(32, 'a') + std::string(32, 'b');
  const auto ranges = read_all(message);
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 3u);
  EXPECT_EQ((*ranges)[0].upper.item.timestamp, 5u);
  EXPECT_TRUE(std::holds_alternative<Skip>((*ranges)[0].payload));
  EXPECT_EQ((*ranges)[1].upper.item.timestamp, 7u);
  EXPECT_EQ((*ranges)[1].upper.prefix, 1u);
  EXPECT_EQ(std::get<Fingerprint>((*ranges)[1].payload)[15], 'f');
  EXPECT_EQ((*ranges)[2].upper, Bound::infinity());
  const auto ids = std::get<IdList>((*ranges)[2].payload);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[0][0], 'a');
  EXPECT_EQ(ids[1][31], 'b');
}

TEST(RangeReader, RefusesACountBeyondTheMessage) {  // R1
  EXPECT_EQ(read_all("\x00\x00\x02\x02"s + std::string(63, 'a')).error(), BadMessage::Truncated);
  const std::string huge = "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_EQ(read_all("\x00\x00\x02"s + huge + "abc").error(), BadMessage::Truncated);
  // 2^59 + 1 ids of 32 bytes would be 32 bytes if the product wrapped.
  const std::string wrapping = "\x88\x80\x80\x80\x80\x80\x80\x80\x01"s;
  EXPECT_EQ(read_all("\x00\x00\x02"s + wrapping + std::string(32, 'a')).error(),
            BadMessage::Truncated);
}

TEST(RangeReader, RefusesAFingerprintThatIsCutShort) {  // R1
  EXPECT_EQ(read_all("\x00\x00\x01"s + std::string(15, 'f')).error(), BadMessage::Truncated);
}

TEST(RangeReader, RefusesUnknownModes) {
  EXPECT_EQ(read_all("\x00\x00\x03"s).error(), BadMessage::Mode);
  EXPECT_EQ(read_all("\x00\x00\x82\x00"s).error(), BadMessage::Mode);
}

TEST(RangeReader, RefusesBoundsThatDescend) {  // R2
  EXPECT_EQ(read_all("\x06\x01z\x00\x01\x01y\x00"s).error(), BadMessage::Bounds);
  EXPECT_EQ(read_all("\x06\x01z\x00\x01\x00\x00"s).error(), BadMessage::Bounds);
  EXPECT_EQ(read_all(kSkipToInfinity + kSkipTo5).error(), BadMessage::Bounds);
}

TEST(RangeReader, AcceptsEmptyRanges) {  // R2
  EXPECT_TRUE(
      read_all("\x01\x00\x00"s + kSkipTo5 + "\x01\x00\x00"s + kSkipToInfinity + kSkipToInfinity));
}

}  // namespace range_reader_test
}  // namespace graspd::negentropy
