#include "core/hex.h"

#include <array>
#include <gtest/gtest.h>

#include "core/fixed_bytes.h"
#include "core/rng.h"

namespace graspd::core {
namespace hex_test {

TEST(Hex, WritesLowerCaseDigits) {
  EXPECT_EQ(encode_hex(std::array<std::uint8_t, 4>{0x00, 0x7f, 0xab, 0xff}), "007fabff");
  EXPECT_EQ(encode_hex({}), "");
}

TEST(Hex, AppendsBehindWhatIsThere) {
  std::string text = "id=";
  append_hex(text, std::array<std::uint8_t, 2>{0xca, 0xfe});
  EXPECT_EQ(text, "id=cafe");
}

TEST(Hex, ReadsWhatItWrites) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  for (int round = 0; round < 100; ++round) {
    std::array<std::uint8_t, 32> bytes{}, back{};
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
    ASSERT_TRUE(decode_hex(encode_hex(bytes), back));
    EXPECT_EQ(bytes, back);
  }
}

TEST(Hex, RefusesEveryByteThatIsNoLowerCaseDigit) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_digit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
    std::array<std::uint8_t, 1> out{};
    EXPECT_EQ(decode_hex(std::string{static_cast<char>(byte), '0'}, out), is_digit) << byte;
    EXPECT_EQ(decode_hex(std::string{'0', static_cast<char>(byte)}, out), is_digit) << byte;
  }
}

TEST(Hex, RefusesTheWrongLength) {
  std::array<std::uint8_t, 2> out{};
  EXPECT_FALSE(decode_hex("abc", out));
  EXPECT_FALSE(decode_hex("abcdef", out));
  EXPECT_FALSE(decode_hex("", out));
}

TEST(FixedBytes, AreOrderedAsUnsignedBytes) {
  using Name = FixedBytes<struct NameTag, 2>;
  EXPECT_LT(*Name::from_hex("7fff"), *Name::from_hex("8000"));
  EXPECT_FALSE(Name::from_hex("80"));
  EXPECT_EQ(Name::from_hex("80ab")->hex(), "80ab");
}

}  // namespace hex_test
}  // namespace graspd::core
