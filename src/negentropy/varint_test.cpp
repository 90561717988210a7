#include "negentropy/varint.h"

#include <gtest/gtest.h>
#include <limits>

namespace graspd::negentropy {
namespace varint_test {

using namespace std::string_literals;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::string written(std::uint64_t value) {
  std::string out;
  append_varint(out, value);
  return out;
}

BadMessage refusal(std::string_view bytes) { return read_varint(bytes).error(); }

TEST(Varint, HasTheSpellingOfTheSpecification) {
  EXPECT_EQ(written(0), "\x00"s);
  EXPECT_EQ(written(127), "\x7f");
  EXPECT_EQ(written(128), "\x81\x00"s);
  EXPECT_EQ(written(300), "\x82\x2c");
  EXPECT_EQ(written(16383), "\xff\x7f");
  EXPECT_EQ(written(16384), "\x81\x80\x00"s);
  EXPECT_EQ(written(1ULL << 32), "\x90\x80\x80\x80\x00"s);
  EXPECT_EQ(written(kMax), "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
}

TEST(Varint, IsReadBackAndTakenOffTheFront) {
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const std::uint64_t value : {1ULL << bit, (1ULL << bit) - 1, kMax - (1ULL << bit)}) {
      const std::string bytes = written(value) + "rest";
      std::string_view view = bytes;
      const auto read = read_varint(view);
      ASSERT_TRUE(read) << value;
      EXPECT_EQ(*read, value);
      EXPECT_EQ(view, "rest");
    }
}

TEST(Varint, IsRefusedWhenItEndsEarly) {
  EXPECT_EQ(refusal(""), BadMessage::Truncated);
  EXPECT_EQ(refusal("\x81"), BadMessage::Truncated);
  EXPECT_EQ(refusal("\xff\xff\xff"), BadMessage::Truncated);
}

TEST(Varint, IsRefusedWithALeadingZeroDigit) {  // R1
  EXPECT_EQ(refusal("\x80\x00"s), BadMessage::Varint);
  EXPECT_EQ(refusal("\x80\x81\x00"s), BadMessage::Varint);
}

TEST(Varint, IsRefusedBeyond64Bits) {  // R1
  EXPECT_EQ(refusal("\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00"s), BadMessage::Varint);
  EXPECT_EQ(refusal("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), BadMessage::Varint);
  EXPECT_EQ(refusal(std::string(1000, '\xff')), BadMessage::Varint);
}

}  // namespace varint_test
}  // namespace graspd::negentropy
