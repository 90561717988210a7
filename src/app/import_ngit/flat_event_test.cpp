#include "app/import_ngit/flat_event.h"

#include <gtest/gtest.h>

#include "app/import_ngit/flat_testing.h"
#include "core/rng.h"

namespace graspd::nostr {
namespace flat_event_test {

using testing::FlatWriter;
using Bytes = std::vector<std::uint8_t>;

Event sample() {
  Event event;
  event.id = EventId(EventId::Bytes{1, 2, 3});
  event.pubkey = PublicKey(PublicKey::Bytes{4, 5, 6});
  event.created_at = 1'700'000'000;
  event.kind = Kind{30'617};
  event.tags = Tags{{"d", "hello"}, {"clone", "https://a.example/x.git", "https://b.example"}, {}};
  event.content = "text \xC3\xA4";
  event.sig = Signature(Signature::Bytes{7, 8, 9});
  return event;
}

TEST(FlatEvent, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_flat_event(FlatWriter::event(sample())), sample());
  Event empty;
  EXPECT_EQ(parse_flat_event(FlatWriter::event(empty)), empty);
}

// What ngit-grasp's builder writes: back to front, with the vtable behind and absent scalars.
TEST(FlatEvent, IsReadWhenItsVtableLiesBehindIt) {
  Bytes bytes{4, 0, 0, 0};
  const std::int32_t back = -132;  // the table is at 4, 132 bytes long
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(back >> (8 * i)));
  bytes.insert(bytes.end(), 128, 0x55);
  for (const std::uint16_t entry : {18, 132, 4, 36, 0, 0, 0, 0, 68}) {
    bytes.push_back(static_cast<std::uint8_t>(entry));
    bytes.push_back(static_cast<std::uint8_t>(entry >> 8));
  }
  const auto event = parse_flat_event(bytes);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->created_at, 0);
  EXPECT_EQ(event->kind, Kind{0});
  EXPECT_TRUE(event->tags.empty());
  EXPECT_EQ(event->content, "");
  EXPECT_EQ(event->id.bytes()[31], 0x55);
}

TEST(FlatEvent, ThatIsCutOffIsNone) {  // R1
  const Bytes whole = FlatWriter::event(sample());
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)  // the last byte ends a string
    EXPECT_FALSE(parse_flat_event(std::span(whole).first(size))) << size;
}

TEST(FlatEvent, WithAnyWrongByteIsReadOrRefused) {  // R1
  core::Rng rng(5);
  const Bytes whole = FlatWriter::event(sample());
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = whole;
    for (int i = 0; i < 3; ++i)
      bytes[rng.below(bytes.size())] = static_cast<std::uint8_t>(rng.below(256));
    const Event event = parse_flat_event(bytes).value_or(Event{});
    EXPECT_LE(event.tags.text_bytes() + event.content.size(), kSharingMax * bytes.size());
  }
}

// An event with one large tag, which its list of tags names several times.
Bytes repeating_its_tag(std::size_t times) {
  Event event = sample();
  event.tags = Tags{{"x", std::string(10'000, 'x')}};
  Bytes bytes = FlatWriter::event(event);
  constexpr std::size_t kTagsAt = 22 + 84;      // the field of the table at 22
  constexpr std::size_t kTagAt = 22 + 156 + 8;  // the tag's vtable, behind a list of one
  const auto put = [&](std::size_t at, std::size_t value) {
    for (int i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  const Bytes tag(bytes.begin() + kTagAt, bytes.end());
  const std::size_t list = bytes.size();
  bytes.resize(list + 4 + 4 * times);
  put(kTagsAt, list - kTagsAt);
  put(list, times);
  constexpr std::size_t kVtableBytes = 6;
  for (std::size_t i = 0; i < times; ++i) put(list + 4 + 4 * i, 4 * (times - i) + kVtableBytes);
  bytes.insert(bytes.end(), tag.begin(), tag.end());
  return bytes;
}

TEST(FlatEvent, ThatWouldBecomeHugeIsNone) {  // R3
  const auto twice = parse_flat_event(repeating_its_tag(2));
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->tags.size(), 2u);
  EXPECT_EQ(twice->tags[1].value().size(), 10'000u);
  EXPECT_FALSE(parse_flat_event(repeating_its_tag(1'000)));
}

TEST(FlatEvent, WithAKindOrTimeThatNostrDoesNotHaveIsNone) {
  Bytes bytes = FlatWriter::event(sample());
  bytes[22 + 76 + 2] = 1;  // kind + 65536
  EXPECT_FALSE(parse_flat_event(bytes));
  bytes = FlatWriter::event(sample());
  bytes[22 + 68 + 7] = 0x80;  // a time before the beginning
  EXPECT_FALSE(parse_flat_event(bytes));
}

}  // namespace flat_event_test
}  // namespace graspd::nostr
