#include "serve/relay/client_connection.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace client_connection_test {

using namespace relay_testing;
using nostr::relay_said::EndOfStored;
using nostr::relay_said::Matching;
using nostr::relay_said::Ok;

TEST(ClientConnection, SendsStoredThenLiveEventsAndNoneTwice) {
  TestRelay relay;
  TestClient writer(relay), reader(relay);
  constexpr int kEvents = 60;
  std::set<nostr::EventId> published, seen;
  for (int i = 0; i < kEvents; ++i) {
    const auto event = note(std::to_string(i));
    published.insert(event.id);
    writer.publish(event);
    if (i == kEvents / 2) reader.request("all");
  }
  for (int i = 0; i < kEvents; ++i) EXPECT_TRUE(writer.hear<Ok>().accepted);
  while (seen.size() < kEvents) {
    const auto message = reader.hear();
    if (const auto* found = std::get_if<Matching>(&message))
      EXPECT_TRUE(seen.insert(found->event.id).second) << "twice";
    else
      ASSERT_TRUE(std::holds_alternative<EndOfStored>(message));
  }
  EXPECT_EQ(seen, published);
}

TEST(ClientConnection, IsNotReadFromWhileTooManyOfItsEventsAreUndecided) {  // R2
  TestRelay relay;
  TestClient flood(relay), other(relay);
  relay.acceptance.set_open(false);
  // 4 MiB may be undecided; what is beyond waits in the socket.
  constexpr std::size_t kEvents = 60, kReadAtMost = 42;
  std::thread sending([&] {
    for (std::size_t i = 0; i < kEvents; ++i)
      flood.publish(note(std::to_string(i) + std::string(100'000, 'x')));
  });
  EXPECT_TRUE(comes_true([&] { return relay.heard_events() >= kReadAtMost; }));
  other.round_trips();
  EXPECT_EQ(relay.heard_events(), kReadAtMost);
  relay.acceptance.set_open(true);
  for (std::size_t i = 0; i < kEvents; ++i) EXPECT_TRUE(flood.hear<Ok>().accepted);
  sending.join();
}

constexpr std::size_t kStored = 500, kStoredBytes = 100'000;

TEST(ClientConnection, ReadsStoredEventsNoFasterThanTheSocketTakesThem) {  // R3
  TestRelay relay;
  relay.fill(kStored, kStoredBytes);
  constexpr int kSmall = 16 * 1024;
  TestClient slow(relay, kSmall), quick(relay);
  slow.request("all");
  quick.request("all");
  EXPECT_EQ(quick.hear_stored().size(), kStored);
  // A slice holds at least one event, so the quick client needed up to kStored slices. The slow one
  // got as far as the buffers of the kernel, though it had as many turns.
  EXPECT_LT(relay.relay->meters().query_slices.value(), kStored + kStored / 2);
  EXPECT_EQ(slow.hear_stored().size(), kStored);
}

TEST(ClientConnection, StopsReadingWhatIsCalledOff) {  // R4
  TestRelay relay;
  relay.fill(kStored, kStoredBytes);
  TestClient client(relay, 16 * 1024);
  client.request("all");
  client.say(nostr::client_says::close("all"));
  client.request("few", R"({"limit":1})");
  std::size_t before = 0;
  while (true) {
    const auto message = client.hear();
    if (std::holds_alternative<EndOfStored>(message)) break;
    if (std::get<Matching>(message).subscription == "all") ++before;
  }
  EXPECT_LT(before, kStored / 2);
}

TEST(ClientConnection, StopsReadingForAClientThatIsGone) {  // R4
  TestRelay relay;
  relay.fill(kStored, kStoredBytes);
  {
    TestClient gone(relay, 16 * 1024);
    gone.request("all");
    gone.hear<Matching>();
  }
  const Meters& meters = relay.relay->meters();
  EXPECT_TRUE(comes_true([&] { return meters.subscriptions.value() == 0U; }));
  const std::uint64_t slices = meters.query_slices.value();
  EXPECT_LT(slices, kStored / 2);
  TestClient other(relay);
  other.round_trips();
  EXPECT_EQ(meters.query_slices.value(), slices + 5);  // one each: those of the other
}

TEST(ClientConnection, AnswersWhatCannotBeReadAndGoesOn) {
  TestRelay relay;
  TestClient client(relay);
  client.say("nonsense");
  EXPECT_TRUE(client.hear<nostr::relay_said::Notice>().text.starts_with("invalid: "));
  client.round_trips(1);
}

}  // namespace client_connection_test
}  // namespace graspd::serve
