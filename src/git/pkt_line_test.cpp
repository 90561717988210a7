#include "git/pkt_line.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace pkt_line_test {

std::string written(std::string_view payload) {
  std::string out;
  append_pkt(out, payload);
  return out;
}

PktReader fed(std::string_view bytes) {
  PktReader reader;
  reader.feed(bytes);
  return reader;
}

template <class T>
bool is(const PktReader::Next& next) {
  return std::holds_alternative<T>(next);
}

TEST(PktLine, CountsItself) {
  EXPECT_EQ(written("a\n"), "0006a\n");
  EXPECT_EQ(written(""), "0004");
  EXPECT_EQ(written(std::string(kPktPayloadMax, 'x')).substr(0, 4), "fff0");  // R1
}

TEST(PktReader, ReadsWhatWasWritten) {
  PktReader reader = fed(written("first") + written("") + std::string(kFlushPkt) + "rest");
  EXPECT_EQ(std::get<Pkt>(reader.next()).payload, "first");
  const auto empty = std::get<Pkt>(reader.next());
  EXPECT_EQ(empty.kind, Pkt::Kind::Data);
  EXPECT_EQ(empty.payload, "");
  EXPECT_EQ(std::get<Pkt>(reader.next()).kind, Pkt::Kind::Flush);
  EXPECT_EQ(reader.take_rest(), "rest");  // R3
  EXPECT_TRUE(reader.empty());
}

TEST(PktReader, KnowsTheSpecialPackets) {  // R2
  PktReader reader = fed("000000010002");
  EXPECT_EQ(std::get<Pkt>(reader.next()).kind, Pkt::Kind::Flush);
  EXPECT_EQ(std::get<Pkt>(reader.next()).kind, Pkt::Kind::Delim);
  EXPECT_EQ(std::get<Pkt>(reader.next()).kind, Pkt::Kind::ResponseEnd);
}

TEST(PktReader, WaitsForTheWholePacket) {
  const std::string bytes = written("slowly");
  PktReader reader;
  for (const char c : bytes) {
    EXPECT_TRUE(is<PktReader::NeedMore>(reader.next()));
    reader.feed(std::string(1, c));
  }
  EXPECT_EQ(std::get<Pkt>(reader.next()).payload, "slowly");
  EXPECT_TRUE(is<PktReader::NeedMore>(reader.next()));
}

TEST(PktReader, RefusesWhatIsNoLengthForEver) {  // R1 R2
  for (const auto* bytes : {"0003", "PACK", "00 4", "-004", "+004", "0x04", "fff1", "ffff"}) {
    PktReader reader = fed(bytes);
    EXPECT_TRUE(is<PktReader::Bad>(reader.next())) << bytes;
    reader.feed("0000");
    EXPECT_TRUE(is<PktReader::Bad>(reader.next())) << bytes;
  }
}

TEST(PktReader, TakesTheLargestPacket) {  // R1
  PktReader reader = fed(written(std::string(kPktPayloadMax, 'x')));
  EXPECT_EQ(std::get<Pkt>(reader.next()).payload.size(), kPktPayloadMax);
}

}  // namespace pkt_line_test
}  // namespace graspd::git
