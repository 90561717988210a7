#include "net/request_body.h"

#include <gtest/gtest.h>
#include <string>

#include "net/inflate_testing.h"

namespace graspd::net {
namespace request_body_test {

constexpr InflateLimits kLimits{10'000'000, 1'000};

struct Read {
  std::string text;
  std::string rest;
  bool ended = false;
  std::size_t parts = 0;
  std::optional<NetError> error;
};

// As a connection does it: holds what has come so far, takes what is told, asks again.
Read read(RequestBody body, std::string_view bytes, std::size_t piece) {
  Read result;
  std::string held;
  while (!body.ended()) {
    const auto part = body.next(held);
    if (!part) {
      result.error = part.error();
      break;
    }
    result.text += part->bytes;
    result.parts += part->bytes.empty() ? 0 : 1;
    held.erase(0, part->taken);
    if (part->taken > 0 || !part->bytes.empty() || body.ended()) continue;
    if (bytes.empty()) break;
    held += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  result.ended = body.ended();
  result.rest = held + std::string(bytes);
  return result;
}

std::string chunked(std::string_view text, std::size_t piece) {
  std::string bytes;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    const std::string_view part = text.substr(0, piece);
    char line[20];
    std::snprintf(line, sizeof line, "%zx\r\n", part.size());
    bytes.append(line).append(part).append("\r\n");
  }
  return bytes + "0\r\n\r\n";
}

TEST(RequestBody, ComesOutOfEveryFramingAndEncoding) {
  const std::string text = noise(20'000) + std::string(70'000, 'a');
  for (const std::size_t piece : {1u, 100u, 65'536u, 1'000'000u}) {
    for (const std::size_t chunk : {1u, 3'000u, 300'000u}) {
      const Read plain =
          read(RequestBody(BodyFraming::chunked(), kLimits), chunked(text, chunk) + "GET", piece);
      EXPECT_TRUE(plain.ended);
      EXPECT_TRUE(plain.text == text) << piece << " " << chunk;
      EXPECT_EQ(plain.rest, "GET");
      const Read unzipped = read(RequestBody(BodyFraming::chunked(), kLimits, Compression::Gzip),
                                 chunked(gzip(text), chunk) + "GET", piece);
      EXPECT_TRUE(unzipped.ended);
      EXPECT_TRUE(unzipped.text == text) << piece << " " << chunk;
      EXPECT_EQ(unzipped.rest, "GET");
    }
  }
}

TEST(RequestBody, GathersTinyChunks) {  // R1
  const std::string text = noise(100'000);
  const Read result = read(RequestBody(BodyFraming::chunked(), kLimits), chunked(text, 1), 65'536);
  EXPECT_TRUE(result.text == text);
  EXPECT_LT(result.parts, 50u);
}

TEST(RequestBody, GivesLargeDataAsItLies) {  // R1
  const std::string input = "2000\r\n" + std::string(0x2000, 'a') + "\r\n";
  RequestBody body(BodyFraming::chunked(), kLimits);
  const auto part = body.next(input);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->bytes.data(), input.data() + 6);
  EXPECT_EQ(part->bytes.size(), 0x2000u);
}

TEST(RequestBody, IsRefusedBeforeItIsReadWhenItsLengthIsTooMuch) {  // R2
  RequestBody body(BodyFraming::length(101), {100, 1});
  const auto part = body.next("");
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error(), NetError::TooBig);
}

TEST(RequestBody, IsRefusedWhenItsChunksAreTooMuch) {  // R2
  const std::string text(101, 'a');
  EXPECT_EQ(read(RequestBody(BodyFraming::chunked(), {100, 1}), chunked(text, 7), 10).error,
            NetError::TooBig);
  EXPECT_EQ(read(RequestBody(BodyFraming::chunked(), {101, 1}), chunked(text, 7), 10).error,
            std::nullopt);
}

TEST(RequestBody, IsRefusedWhenItInflatesToNothingForEver) {  // R2
  std::string empties;
  while (empties.size() < 200'000) empties += gzip("");
  EXPECT_EQ(read(RequestBody(BodyFraming::chunked(), {1'000, 100}, Compression::Gzip),
                 chunked(empties, 10'000), 10'000)
                .error,
            NetError::TooBig);
}

TEST(RequestBody, IsBrokenWhenItsCompressionIsCutShort) {
  const std::string whole = gzip("hello");
  const std::string cut = whole.substr(0, whole.size() - 1);
  EXPECT_EQ(
      read(RequestBody(BodyFraming::length(cut.size()), kLimits, Compression::Gzip), cut, 9).error,
      NetError::Protocol);
}

TEST(RequestBody, HasTheCompressionThatTheHeaderNames) {
  const auto named = [](const char* value) {
    http::Headers headers;
    headers.add("content-encoding", value);
    return compression_of(headers);
  };
  EXPECT_EQ(*compression_of({}), std::nullopt);
  EXPECT_EQ(*named("identity"), std::nullopt);
  EXPECT_EQ(*named("gzip"), Compression::Gzip);
  EXPECT_EQ(*named("X-GZip"), Compression::Gzip);
  EXPECT_EQ(*named("deflate"), Compression::Zlib);
  EXPECT_FALSE(named("br"));
  EXPECT_FALSE(named("gzip, gzip"));
}

}  // namespace request_body_test
}  // namespace graspd::net
