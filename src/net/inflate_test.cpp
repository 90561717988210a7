#include "net/inflate.h"

#include <gtest/gtest.h>
#include <string>

#include "net/inflate_testing.h"

namespace graspd::net {
namespace inflate_test {

constexpr InflateLimits kGenerous{64 << 20, 2'000};

struct Inflated {
  std::string text;
  bool ended = false;
  std::optional<InflateError> error;
};

Inflated inflated(Compression compression, std::string_view bytes, std::size_t in_piece,
                  std::size_t out_piece, const InflateLimits& limits = kGenerous) {
  Inflater inflater(compression, limits);
  Inflated result;
  std::string out(out_piece, '\0');
  while (true) {
    const std::string_view in = bytes.substr(0, in_piece);
    const auto step = inflater.put(in, out);
    if (!step) {
      result.error = step.error();
      return result;
    }
    result.text.append(out, 0, step->made);
    bytes.remove_prefix(step->taken);
    if (bytes.empty() && step->made == 0) break;
  }
  result.ended = inflater.ended();
  return result;
}

Inflated gunzip(std::string_view bytes, const InflateLimits& limits = kGenerous) {
  return inflated(Compression::Gzip, bytes, 4'096, 4'096, limits);
}

TEST(Inflater, GivesBackTheTextHoweverItIsFed) {
  const std::string text = noise(10'000) + std::string(10'000, 'a') + "the end";
  for (const std::size_t in : {1u, 7u, 1'000u, 100'000u}) {
    for (const std::size_t out : {1u, 13u, 100'000u}) {
      const Inflated from_gzip = inflated(Compression::Gzip, gzip(text), in, out);
      EXPECT_TRUE(from_gzip.ended);
      EXPECT_EQ(from_gzip.text, text) << in << " " << out;
      const Inflated from_zlib = inflated(Compression::Zlib, zlib(text), in, out);
      EXPECT_TRUE(from_zlib.ended);
      EXPECT_EQ(from_zlib.text, text) << in << " " << out;
    }
  }
}

TEST(Inflater, ReadsSeveralGzipMembersInARow) {  // R2
  const Inflated result = gunzip(gzip("one ") + gzip("") + gzip("two"));
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.text, "one two");
}

TEST(Inflater, RefusesWhatFollowsTheEnd) {  // R3
  EXPECT_EQ(gunzip(gzip("text") + "garbage").error, InflateError::Corrupt);
  EXPECT_EQ(gunzip(gzip("text") + std::string(100, '\0')).error, InflateError::Corrupt);
  EXPECT_EQ(inflated(Compression::Zlib, zlib("one") + zlib("two"), 999, 999).error,
            InflateError::Corrupt);
}

TEST(Inflater, NoticesThatTheEndIsMissing) {  // R3
  const std::string whole = gzip(noise(1'000));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(gunzip(whole.substr(0, size)).ended) << size;
  EXPECT_FALSE(gunzip(gzip("one") + gzip("two").substr(0, 5)).ended);
}

TEST(Inflater, RefusesWhatIsNotCompressed) {
  EXPECT_EQ(gunzip("hello, hello, hello").error, InflateError::Corrupt);
  std::string damaged = gzip("some text");
  damaged[damaged.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(gunzip(damaged).error, InflateError::Corrupt);
  EXPECT_EQ(gunzip(zlib("some text")).error, InflateError::Corrupt);
}

TEST(Inflater, RefusesMoreThanItMayMake) {  // R1
  const std::string bytes = gzip(noise(100'000));
  EXPECT_EQ(gunzip(bytes, {100'000, 1'000}).error, std::nullopt);
  EXPECT_EQ(gunzip(bytes, {99'999, 1'000}).error, InflateError::TooBig);
}

TEST(Inflater, RecognisesABombByItsRatio) {  // R1
  const std::string bomb = gzip(std::string(32 << 20, '\0'));
  EXPECT_EQ(gunzip(bomb, {1ull << 40, 2'000}).error, std::nullopt);
  const Inflated stopped = gunzip(bomb, {1ull << 40, 100});
  EXPECT_EQ(stopped.error, InflateError::TooBig);
  EXPECT_LT(stopped.text.size(), 4u << 20);
  const std::string small = gzip(std::string(Inflater::kFreeBytes, '\0'));
  EXPECT_EQ(gunzip(small, {1ull << 40, 100}).error, std::nullopt);
}

}  // namespace inflate_test
}  // namespace graspd::net
