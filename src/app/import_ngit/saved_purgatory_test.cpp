#include "app/import_ngit/saved_purgatory.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"

namespace graspd::app {
namespace saved_purgatory_test {

using nostr::Event;
using nostr::Kind;
using nostr::to_json;

std::string event_text(std::uint16_t kind) {
  Event event;
  event.kind = Kind{kind};
  return to_json(event);
}

TEST(SavedPurgatory, IsFoundWhereverItsEntriesAre) {
  const std::string text =
      R"({"version":1,"saved_at":{"nanos_since_epoch":5,"secs_since_epoch":1700000000},)"
      R"("announcement_purgatory":{"ab:x":{"event":)" +
      event_text(30'617) +
      R"(,"created_at_offset_secs":-3,"expires_at_offset_secs":120,"source":"Direct"}},)"
      R"("state_events":{"x":[{"source":"Sync","expires_at_offset_secs":60,"event":)" +
      event_text(30'618) +
      R"(}]},"pr_events":{"cd":{"event":null,"expires_at_offset_secs":9}},)"
      R"("expired_events":{"ef":{"secs_since_epoch":7,"nanos_since_epoch":0}}})";
  const auto saved = parse_saved_purgatory(text);
  ASSERT_TRUE(saved) << saved.error();
  EXPECT_EQ(saved->saved_at, 1'700'000'000);
  ASSERT_EQ(saved->entries.size(), 2u);
  EXPECT_EQ(saved->entries[0].event.kind, Kind{30'617});
  EXPECT_EQ(saved->entries[0].expires_in, 120u);
  EXPECT_FALSE(saved->entries[0].synced);
  EXPECT_EQ(saved->entries[1].expires_in, 60u);
  EXPECT_TRUE(saved->entries[1].synced);
}

TEST(SavedPurgatory, OfAnEventThatWasNotSavedYetIsTheEvent) {
  const auto saved = parse_saved_purgatory(R"({"version":1,"event":)" + event_text(1618) +
                                           R"(,"attempts":2,"save_failed":false})");
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->entries.size(), 1u);
  EXPECT_EQ(saved->entries[0].event.kind, Kind{1618});
}

TEST(SavedPurgatory, ThatIsBrokenIsRefused) {
  for (const char* text : {"", "[]", "{", R"({"event":{"id":"x"}})", R"({"a":{"event":{}}} x)",
                           R"({"a":[[[[[[[[[[[[1]]]]]]]]]]]]})"})
    EXPECT_FALSE(parse_saved_purgatory(text)) << text;
}

}  // namespace saved_purgatory_test
}  // namespace graspd::app
