#include "sync/record_text.h"

#include <gtest/gtest.h>

namespace graspd::sync {
namespace record_text_test {

RelayRecord record() {
  return {.url = *nostr::RelayUrl::parse("wss://relay.example/path"),
          .health = {3, 10, 20, std::nullopt, 30, "HTTP 404: not here", 40, 2},
          .lessons = {65536, 5, true, 99, true},
          .lost = {{*nostr::EventId::from_hex(std::string(64, 'a')), 7}}};
}

TEST(RecordText, IsReadAsItWasWritten) { EXPECT_EQ(parse_record(to_text(record())), record()); }

TEST(RecordText, OfARelayThatNeverFailedIsShort) {
  const RelayRecord fresh{.url = record().url};
  EXPECT_EQ(parse_record(to_text(fresh)), fresh);
  EXPECT_LT(to_text(fresh).size(), 200u);
}

TEST(RecordText, KeepsAReasonInOneLine) {
  RelayRecord odd = record();
  odd.health.reason = "two\nlines url wss://evil.example" + std::string(1000, 'x');
  const auto read = parse_record(to_text(odd));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->url, odd.url);
  EXPECT_EQ(read->health.reason.substr(0, 9), "two lines");
}

TEST(RecordText, PassesOverWhatItDoesNotKnow) {
  EXPECT_EQ(parse_record(to_text(record()) + "colour blue\n\nnonsense\n"), record());
}

TEST(RecordText, WithoutAUrlIsNoRecord) {
  EXPECT_FALSE(parse_record(""));
  EXPECT_FALSE(parse_record("failures 3\n"));
  EXPECT_FALSE(parse_record("url http://example.org\n"));
}

}  // namespace record_text_test
}  // namespace graspd::sync
