#include "app/sync_once/sync_request.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace sync_request_test {

SyncOptions to(std::string url) { return {.url = std::move(url)}; }

TEST(SyncRequest, IsToFetchEverythingUnlessSaidOtherwise) {  // R1 R2
  const auto wish = parse_sync_request(to("wss://relay.example.org/"));
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->peer.text(), "wss://relay.example.org");
  EXPECT_EQ(wish->filters, std::vector<nostr::Filter>(1));
  EXPECT_TRUE(wish->stores());
  EXPECT_FALSE(wish->uploads());
}

TEST(SyncRequest, HasOneDirection) {  // R1
  SyncOptions options = to("ws://a");
  options.up = true;
  EXPECT_FALSE(parse_sync_request(options)->down);
  EXPECT_TRUE(parse_sync_request(options)->uploads());
  options.dry_run = true;
  EXPECT_FALSE(parse_sync_request(options)->uploads());
  options.down = true;
  EXPECT_FALSE(parse_sync_request(options));
  options = to("ws://a");
  options.both = true;
  EXPECT_TRUE(parse_sync_request(options)->stores());
  EXPECT_TRUE(parse_sync_request(options)->uploads());
}

TEST(SyncRequest, TakesSeveralFiltersWithoutLimits) {  // R2
  SyncOptions options = to("ws://a");
  options.filters = {R"({"kinds":[1]})", R"({"since":5})"};
  ASSERT_TRUE(parse_sync_request(options));
  EXPECT_EQ(parse_sync_request(options)->filters.size(), 2U);
  for (const char* bad : {R"({"limit":5})", R"({"kinds":)", "[]", ""}) {
    options.filters = {bad};
    EXPECT_FALSE(parse_sync_request(options)) << bad;
  }
}

TEST(SyncRequest, RefusesWhatIsNoRelayAndNoTime) {
  for (const char* url : {"", "relay.example.org", "https://relay.example.org"})
    EXPECT_FALSE(parse_sync_request(to(url))) << url;
  SyncOptions options = to("ws://a");
  options.inactivity_limit = 0;
  EXPECT_FALSE(parse_sync_request(options));
}

}  // namespace sync_request_test
}  // namespace graspd::app
