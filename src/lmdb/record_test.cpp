#include "lmdb/record.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::lmdb {
namespace record_test {

using store::testing::author;
using store::testing::event;

std::vector<std::uint8_t> encoded(const nostr::WireEventPtr& wire) {
  std::vector<std::uint8_t> bytes;
  encode_record(*wire, bytes);
  return bytes;
}

TEST(Record, TellsWhatTheEventSays) {
  const auto wire = event(3, 30'617, 77, {{"d", "repo"}, {"expiration", "99"}}, "hi");
  const auto bytes = encoded(wire);
  const auto record = RecordView::parse(bytes);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->id(), wire->event.id);
  EXPECT_EQ(record->pubkey(), author(3));
  EXPECT_EQ(record->kind(), (nostr::Kind{30'617}));
  EXPECT_EQ(record->created_at(), 77);
  EXPECT_EQ(record->expiration(), 99);
  EXPECT_EQ(record->identifier(), "repo");
  EXPECT_EQ(record->json(), wire->json);
}

TEST(Record, MatchesByItsSingleLetterTags) {  // R1, R2
  const auto bytes = encoded(event(1, 1, 5, {{"t", "a"}, {"t", "b"}, {"e"}, {"topic", "c"}}));
  const auto record = RecordView::parse(bytes);
  ASSERT_TRUE(record);
  const auto matches = [&](char letter, std::vector<std::string> values) {
    nostr::Filter filter;
    filter.tags = {{letter, std::move(values)}};
    return record->matches(filter);
  };
  EXPECT_TRUE(matches('t', {"b"}));
  EXPECT_FALSE(matches('t', {"c"}));
  EXPECT_FALSE(matches('e', {""}));
  EXPECT_FALSE(matches('p', {"a"}));
}

TEST(Record, IsRefusedWhenCutShort) {  // R3
  const auto bytes = encoded(event(1, 1, 5, {{"t", "a"}}));
  const std::size_t json_at = bytes.size() - event(1, 1, 5, {{"t", "a"}})->json.size();
  for (std::size_t size = 0; size < json_at; ++size) {
    EXPECT_FALSE(RecordView::parse(Bytes(bytes).first(size))) << size;
  }
  EXPECT_TRUE(RecordView::parse(Bytes(bytes).first(json_at)));
}

TEST(Record, HasNoPlaceTwice) {
  const auto bytes = encoded(event(1, 1, 5, {{"t", "a"}, {"t", "a"}, {"t", "b"}}));
  std::vector<Placement> places;
  placements_of(*RecordView::parse(bytes), places);
  EXPECT_EQ(places.size(), 5u);
}

}  // namespace record_test
}  // namespace graspd::lmdb
