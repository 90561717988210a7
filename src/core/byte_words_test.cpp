#include "core/byte_words.h"

#include <gtest/gtest.h>

namespace graspd::core::byte_words_test {

TEST(ByteWords, ChooseTheUnitThatPeopleReadEasily) {
  EXPECT_EQ(byte_words(0), "0 bytes");
  EXPECT_EQ(byte_words(1), "1 byte");
  EXPECT_EQ(byte_words(1023), "1023 bytes");
  EXPECT_EQ(byte_words(1024), "1 KiB");
  EXPECT_EQ(byte_words(512ULL << 20), "512 MiB");
  EXPECT_EQ(byte_words(3ULL << 29), "1.5 GiB");
  EXPECT_EQ(byte_words((1ULL << 30) - 1), "1023 MiB");
  EXPECT_EQ(byte_words(~0ULL), "16 EiB");
}

}  // namespace graspd::core::byte_words_test
