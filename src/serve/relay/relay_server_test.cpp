#include "serve/relay/relay_server.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>

#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace relay_server_test {

using namespace relay_testing;
using nostr::relay_said::Matching;
using nostr::relay_said::Ok;

TEST(RelayServer, AnswersEverythingThatWasSubmittedBeforeItCloses) {  // R1
  TestRelay relay;
  TestClient client(relay);
  relay.acceptance.set_open(false);
  constexpr std::size_t kEvents = 50;
  for (std::size_t i = 0; i < kEvents; ++i) client.publish(note(std::to_string(i)));
  ASSERT_TRUE(comes_true([&] { return relay.heard_events() == kEvents; }));
  relay.acceptance.set_open(true);
  relay.relay->close();
  std::set<nostr::EventId> answered;
  for (std::size_t i = 0; i < kEvents; ++i) {
    const auto ok = client.hear<Ok>();
    answered.insert(ok.id);
    EXPECT_EQ(ok.accepted, (*relay.store.snapshot())->contains(ok.id)) << ok.text;
  }
  EXPECT_EQ(answered.size(), kEvents);
}

TEST(RelayServer, DeliversToSubscribersOnEveryNetworkThread) {
  TestRelay relay(relay_options(), 3);
  std::vector<std::unique_ptr<TestClient>> readers;
  for (int i = 0; i < 9; ++i) {
    readers.push_back(std::make_unique<TestClient>(relay));
    readers.back()->request("live");
    EXPECT_TRUE(readers.back()->hear_stored().empty());
  }
  TestClient writer(relay);
  const auto event = note("hello");
  writer.publish(event);
  EXPECT_TRUE(writer.hear<Ok>().accepted);
  for (const auto& reader : readers) EXPECT_EQ(reader->hear<Matching>().event.id, event.id);
}

TEST(RelayServer, TellsItsListenerOfEveryCommitUntilItIsTakenAway) {
  TestRelay relay;
  std::atomic<int> heard = 0;
  relay.relay->set_listener(std::make_shared<RelayServer::Listener>(
      [&](const std::shared_ptr<const CommitReport>& report) {
        heard += static_cast<int>(report->decisions.size());
      }));
  TestClient client(relay);
  client.publish(note("one"));
  client.hear<Ok>();
  // The client may have its answer before the listener has returned.
  EXPECT_TRUE(comes_true([&] { return heard == 1; }));
  relay.relay->set_listener(nullptr);
  client.publish(note("two"));
  client.hear<Ok>();
  EXPECT_EQ(heard, 1);
}

TEST(RelayServer, SendsAwayOneConnectionTooMany) {
  RelayServerOptions options = relay_options();
  options.clients.connections_per_address = 1;
  TestRelay relay(std::move(options));
  TestClient first(relay);
  first.round_trips(1);
  TestClient second(relay);
  EXPECT_EQ(second.hear_frame().close_code(), 1013);
  first.round_trips(1);
  EXPECT_EQ(relay.relay->meters().connections_total.value(), 1U);
}

TEST(RelayServer, CountsAConnectionForAsLongAsItLasts) {
  std::atomic<int> ended = 0;
  RelayServerOptions options = relay_options();
  options.connection_ended = [&](double seconds) {
    EXPECT_GE(seconds, 0);
    ++ended;
  };
  TestRelay relay(std::move(options));
  const Meters& meters = relay.relay->meters();
  {
    TestClient client(relay);
    client.request("kept open");
    client.hear_stored();
    EXPECT_EQ(meters.connections_active.value(), 1U);
    EXPECT_EQ(meters.subscriptions.value(), 1U);
    EXPECT_EQ(ended, 0);
  }
  EXPECT_TRUE(comes_true([&] { return ended == 1; }));
  EXPECT_EQ(meters.connections_active.value(), 0U);
  EXPECT_TRUE(comes_true([&] { return meters.subscriptions.value() == 0U; }));
}

}  // namespace relay_server_test
}  // namespace graspd::serve
