#include "git/side_band.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace side_band_test {

TEST(SideBand, NamesTheStreamInTheFirstByte) {
  std::string out;
  append_band(out, Band::Data, "a");
  append_band(out, Band::Progress, "b\n");
  append_band(out, Band::Fatal, "c");
  EXPECT_EQ(out, "0006\1a0007\2b\n0006\3c");
}

TEST(SideBand, SplitsWhatDoesNotFitAPacket) {  // R1
  const std::string payload(2 * kBandPayloadMax + 7, 'x');
  std::string out;
  append_band(out, Band::Data, payload);
  PktReader reader;
  reader.feed(out);
  std::string joined;
  while (!reader.empty()) {
    const auto pkt = std::get<Pkt>(reader.next());
    ASSERT_EQ(pkt.payload[0], '\1');
    EXPECT_LE(pkt.payload.size() + kPktHeaderBytes, kPktBytesMax);
    joined += pkt.payload.substr(1);
  }
  EXPECT_EQ(joined, payload);
  EXPECT_EQ(kBandPayloadMax, 65515);
}

TEST(SideBand, SaysNothingForNothing) {  // R1
  std::string out;
  append_band(out, Band::Progress, "");
  EXPECT_EQ(out, "");
}

}  // namespace side_band_test
}  // namespace graspd::git
