#include "core/percent.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::core {
namespace percent_test {

TEST(PercentEncoding, LeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/%+:\xc3\xa4"), "a%20b%2F%25%2B%3A%C3%A4");
}

TEST(PercentEncoding, IsDecodedExactlyOnce) {
  EXPECT_EQ(percent_decode("%2e%2E%252e+x"), "..%2e+x");
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
}

TEST(PercentEncoding, IsRefusedWhenBroken) {
  for (const char* text : {"%", "%2", "%zz", "%+1", "a%2", "%%20"}) {
    EXPECT_FALSE(percent_decode(text)) << text;
  }
}

TEST(PercentEncoding, ComesBackAsItWas) {
  Rng rng(1);
  for (int round = 0; round < 1000; ++round) {
    std::string text(rng.below(20), ' ');
    for (char& c : text) c = static_cast<char>(rng.next());
    EXPECT_EQ(percent_decode(percent_encode(text)), text);
  }
}

}  // namespace percent_test
}  // namespace graspd::core
