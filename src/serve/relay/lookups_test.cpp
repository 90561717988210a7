#include "serve/relay/lookups.h"

#include <gtest/gtest.h>
#include <set>

#include "negentropy/item_set.h"
#include "negentropy/reconciler.h"
#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace lookups_test {

using namespace relay_testing;
using nostr::relay_said::NegError;
using nostr::relay_said::NegMessage;

nostr::Filter by_ids(std::size_t count) {
  nostr::Filter filter;
  filter.ids.emplace();
  for (std::size_t i = 0; i < count; ++i) {
    nostr::EventId::Bytes bytes{};
    bytes[0] = static_cast<std::uint8_t>(i);
    filter.ids->push_back(nostr::EventId(bytes));
  }
  return filter;
}

TEST(Lookups, AreQuickWhenTheyNameAFewEventsTogether) {
  EXPECT_TRUE(is_quick(std::vector{by_ids(20)}));
  EXPECT_FALSE(is_quick(std::vector{by_ids(21)}));
  EXPECT_TRUE(is_quick(std::vector{by_ids(10), by_ids(10)}));
  EXPECT_FALSE(is_quick(std::vector{by_ids(10), by_ids(11)}));
  EXPECT_FALSE(is_quick(std::vector{by_ids(1), nostr::Filter{}}));
}

TEST(Lookups, CountInSlicesWhatIsStored) {
  TestRelay relay;
  relay.fill(10'001, 1);  // a slice looks at 10,000 entries
  TestClient client(relay);
  client.say(R"(["COUNT","all",{}])");
  const net::Frame answer = client.hear_frame();
  EXPECT_EQ(answer.payload, R"(["COUNT","all",{"count":10001}])");
}

TEST(Lookups, ReconcileASetUntilBothSidesKnowTheDifference) {
  TestRelay relay;
  relay.fill(300, 1);
  TestClient client(relay);
  negentropy::Initiator initiator(std::make_shared<const negentropy::ItemSet>(), {});
  client.say(nostr::client_says::neg_open("set", {}, initiator.initial_message()));
  std::set<negentropy::Id> needed;
  while (true) {
    const auto step = initiator.reconcile(client.hear<NegMessage>().message);
    ASSERT_TRUE(step);
    needed.insert(step->need.begin(), step->need.end());
    if (!step->next) break;
    client.say(nostr::client_says::neg_message("set", *step->next));
  }
  EXPECT_EQ(needed.size(), 300U);
}

TEST(Lookups, RefuseAReconciliationThatCannotBeRead) {
  TestRelay relay;
  TestClient client(relay);
  client.say(nostr::client_says::neg_open("set", {}, "\x61\x01"));
  EXPECT_TRUE(client.hear<NegError>().text.starts_with("invalid: "));
  client.round_trips(1);
}

TEST(Lookups, EndWithTheClientThatAskedForThem) {
  TestRelay relay;
  relay.fill(10'001, 1);
  {
    TestClient gone(relay);
    gone.say(R"(["COUNT","all",{}])");
    negentropy::Initiator initiator(std::make_shared<const negentropy::ItemSet>(), {});
    gone.say(nostr::client_says::neg_open("set", {}, initiator.initial_message()));
  }
  EXPECT_TRUE(comes_true([&] { return relay.relay->meters().connections_active.value() == 0U; }));
  TestClient other(relay);
  other.round_trips(1);
}

}  // namespace lookups_test
}  // namespace graspd::serve
