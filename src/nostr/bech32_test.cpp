#include "nostr/bech32.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <optional>

#include "core/rng.h"

namespace graspd::nostr::bech32 {
namespace bech32_test {

std::optional<Bad> failure(std::string_view text) {
  const auto decoded = decode(text);
  if (decoded) return std::nullopt;
  return decoded.error();
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

using Bytes = std::vector<std::uint8_t>;
constexpr std::string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

// Text with a right checksum from any groups, also such as encode() would never write.
std::string text_of_groups(const std::string& prefix, std::vector<unsigned> groups) {
  std::vector<unsigned> all;
  for (char c : prefix) all.push_back(static_cast<unsigned>(c) >> 5);
  all.push_back(0);
  for (char c : prefix) all.push_back(static_cast<unsigned>(c) & 31);
  all.insert(all.end(), groups.begin(), groups.end());
  all.insert(all.end(), 6, 0);
  constexpr std::uint32_t kRemainders[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                           0x2a1462b3};
  std::uint32_t sum = 1;
  for (unsigned group : all) {
    std::uint32_t next = (sum % (1u << 25)) * 32 ^ group;
    for (unsigned bit = 0; bit < 5; ++bit) {
      if (sum / (1u << 25) & 1u << bit) next ^= kRemainders[bit];
    }
    sum = next;
  }
  for (int i = 5; i >= 0; --i) groups.push_back((sum ^ 1) >> 5 * i & 31);
  std::string text = prefix + "1";
  for (unsigned group : groups) text += kAlphabet[group];
  return text;
}

Bytes random_bytes(core::Rng& rng, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return bytes;
}

TEST(Bech32, AcceptsTheShortVectorsOfBip173) {
  for (std::string_view text : {"A12UEL5L", "a12uel5l"}) {
    const auto decoded = decode(text);
    ASSERT_TRUE(decoded) << text;
    EXPECT_EQ(decoded->prefix, "a");
    EXPECT_TRUE(decoded->bytes.empty());
  }
}

TEST(Bech32, WritesTheGroupsOfBip173sExample) {
  const Bytes program = {0x75, 0x1e, 0x76, 0xe8, 0x19, 0x91, 0x96, 0xd4, 0x54, 0x94,
                         0x1c, 0x45, 0xd1, 0xb3, 0xa3, 0x23, 0xf1, 0x43, 0x3b, 0xd6};
  EXPECT_TRUE(encode("bc", program).starts_with("bc1w508d6qejxtdg4y5r3zarvary0c5xw7k"));
  // The address itself has a version group in front, so its groups are no whole bytes; that it is
  // refused for this and not for its checksum shows the checksum to be right.
  EXPECT_EQ(failure("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"), Bad::NotBech32);
}

TEST(Bech32, RefusesMixedCase) {  // R1
  EXPECT_EQ(failure("A12uel5l"), Bad::NotBech32);
  EXPECT_EQ(failure("a12UEL5L"), Bad::NotBech32);
  EXPECT_EQ(failure("a12uEl5l"), Bad::NotBech32);
}

TEST(Bech32, RefusesWhatIsNotOfItsForm) {
  for (std::string_view text : {"", "1", "a", "a1", "a1uel5l", "12uel5l", "1a12uel5", "a12uel5b",
                                "a12uel5i", "a12uel5o", "a12uel5 ", " a12uel5l",
                                "a\x80"
                                "12uel5l",
                                "\x7f"
                                "12uel5l",
                                "a2uel5ll", "a12uel\xff\xff"}) {
    EXPECT_EQ(failure(text), Bad::NotBech32) << text;
  }
  EXPECT_EQ(failure(std::string_view("a12uel5\0", 8)), Bad::NotBech32);
}

TEST(Bech32, RefusesAWrongChecksum) {  // R2
  EXPECT_EQ(failure("b12uel5l"), Bad::Checksum);
  EXPECT_EQ(failure("a12uel5q"), Bad::Checksum);
  // Bech32m: the same form with another constant (BIP-350).
  EXPECT_EQ(failure("a1lqfn3a"), Bad::Checksum);
}

TEST(Bech32, RefusesBitsThatFillUpMoreThanTheyMust) {  // R2
  EXPECT_EQ(text_of_groups("a", {31, 28}), encode("a", Bytes{0xff}));
  EXPECT_FALSE(failure(text_of_groups("a", {31, 28})));
  for (unsigned filling = 1; filling < 4; ++filling) {
    EXPECT_EQ(failure(text_of_groups("a", {31, 28 + filling})), Bad::NotBech32);
  }
  EXPECT_EQ(failure(text_of_groups("a", {0})), Bad::NotBech32);
  EXPECT_EQ(failure(text_of_groups("a", {31, 28, 0})), Bad::NotBech32);
}

TEST(Bech32, IsBoundedInLength) {  // R3
  const Bytes most((kCharactersMax - 8) * 5 / 8, 0x5a);
  const std::string longest = encode("a", most);
  ASSERT_LE(longest.size(), kCharactersMax);
  EXPECT_FALSE(failure(longest));
  EXPECT_EQ(failure(std::string(kCharactersMax + 1, 'q')), Bad::TooLong);
  EXPECT_EQ(failure(std::string(kCharactersMax, 'q')), Bad::NotBech32);
}

TEST(Bech32, ReadsBackWhateverItWrites) {
  constexpr std::uint64_t kSeed = 35;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const auto bytes = random_bytes(rng, rng.below(80));
    const std::string text = encode("npub", bytes);
    for (const std::string& spelling : {text, upper(text)}) {
      const auto decoded = decode(spelling);
      ASSERT_TRUE(decoded) << text;
      EXPECT_EQ(decoded->prefix, "npub");
      EXPECT_EQ(decoded->bytes, bytes);
    }
  }
}

TEST(Bech32, NoticesUpToFourWrongCharacters) {
  constexpr std::uint64_t kSeed = 36;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int i = 0; i < 5000; ++i) {
    const std::string right = encode("npub", random_bytes(rng, 32));
    std::string wrong = right;
    for (auto n = 1 + rng.below(4); n > 0; --n) {
      wrong[5 + rng.below(wrong.size() - 5)] = kAlphabet[rng.below(32)];
    }
    if (wrong == right) continue;
    EXPECT_EQ(failure(wrong), Bad::Checksum) << right << " " << wrong;
  }
}

}  // namespace bech32_test
}  // namespace graspd::nostr::bech32
