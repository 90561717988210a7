#include "net/body_framing.h"

#include <gtest/gtest.h>
#include <string>

namespace graspd::net {
namespace body_framing_test {

struct Read {
  std::string data;
  std::string rest;
  bool ended = false;
  bool broken = false;
};

// Feeds `piece` bytes at a time.
Read read(BodyFraming framing, std::string_view bytes, std::size_t piece) {
  Read result;
  while (!bytes.empty() && !framing.ended() && !framing.broken()) {
    std::string_view part = bytes.substr(0, piece);
    const std::size_t skipped = framing.skip(part);
    const std::string_view data = framing.data(part.substr(skipped));
    result.data += data;
    framing.took(data.size());
    bytes.remove_prefix(skipped + data.size());
  }
  result.rest = bytes;
  result.ended = framing.ended();
  result.broken = framing.broken();
  return result;
}

Read read_chunks(std::string_view bytes, std::size_t piece = 1'000'000) {
  return read(BodyFraming::chunked(), bytes, piece);
}

TEST(BodyFraming, EndsWhereTheLengthSays) {  // R3
  const Read result = read(BodyFraming::length(3), "abcGET /", 2);
  EXPECT_EQ(result.data, "abc");
  EXPECT_EQ(result.rest, "GET /");
  EXPECT_TRUE(result.ended);
  EXPECT_TRUE(BodyFraming::none().ended());
}

TEST(BodyFraming, ReadsChunksHoweverTheyArrive) {
  const std::string text =
      "3\r\nabc\r\n00A;name=\"value\"\r\n0123456789\r\n2 \t;x\r\nde\r\n0\r\nTrailer: x\r\nB: y\r\n"
      "\r\nGET /";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const Read result = read_chunks(text, piece);
    EXPECT_EQ(result.data, "abc0123456789de") << piece;
    EXPECT_EQ(result.rest, "GET /") << piece;
    EXPECT_TRUE(result.ended) << piece;
  }
}

TEST(BodyFraming, KnowsWhatIsLeftIfTheClientSaidSo) {
  BodyFraming framing = BodyFraming::length(10);
  framing.took(4);
  EXPECT_EQ(framing.left(), 6u);
  EXPECT_EQ(BodyFraming::chunked().left(), std::nullopt);
}

TEST(BodyFraming, BreaksOnWhateverIsNotAChunk) {  // R1
  for (const char* text :
       {"\r\n", ";x\r\n", "g\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1\n", "1\rx", "1;a\nb",
        "1\r\nab", "1\r\na\n", "1\r\na\rb", "0\r\n\n", "0\r\nA: b\n", "0\r\n\rx",
        "1000000000000000\r\n", "ffffffffffffffffff\r\n", "1_0\r\n"})
    EXPECT_TRUE(read_chunks(text).broken) << text;
}

TEST(BodyFraming, IsNotPatientWithLongLines) {  // R1 R2
  EXPECT_FALSE(read_chunks("1;" + std::string(100, 'x')).broken);
  EXPECT_TRUE(read_chunks("1;" + std::string(300, 'x')).broken);
  EXPECT_FALSE(read_chunks("0\r\nA: " + std::string(1'000, 'x')).broken);
  EXPECT_TRUE(read_chunks("0\r\nA: " + std::string(9'000, 'x')).broken);
  std::string trailers = "0\r\n";
  for (int i = 0; i < 3'000; ++i) trailers += "A: b\r\n";
  EXPECT_TRUE(read_chunks(trailers).broken);
}

}  // namespace body_framing_test
}  // namespace graspd::net
