// A relay of a private service (GRASP-08). Rule numbers are those of client_connection.h (C),
// client_quotas.h (Q) and relay/gate.h (G).
#include <gtest/gtest.h>

#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace private_relay_test {

using namespace relay_testing;
using nostr::relay_said::Challenge;
using nostr::relay_said::Closed;
using nostr::relay_said::Matching;
using nostr::relay_said::Ok;

nostr::Keypair keypair(std::uint8_t n) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = n;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

// A relay with members 1 and 2.
struct PrivateRelay {
  Members members{relay::MemberSet({}, {keypair(1).public_key(), keypair(2).public_key()},
                                   relay::MemberSet::Derives::No)};
  TestRelay relay{options()};

  ~PrivateRelay() { members.close(); }
  RelayServerOptions options() {
    RelayServerOptions options = relay_options();
    options.members = &members;
    options.clients.unproven_per_address = 3;
    return options;
  }
};

void prove(TestClient& client, std::uint8_t who) {
  const std::string challenge = client.hear<Challenge>().text;
  nostr::Event event{.created_at = net::now().unix_seconds,
                     .kind = {22242},
                     .tags = {{"relay", "wss://relay.example"}, {"challenge", challenge}}};
  keypair(who).sign(event, {});
  client.say("[\"AUTH\"," + nostr::to_json(event) + "]");
}
void enter(TestClient& client, std::uint8_t who) {
  prove(client, who);
  EXPECT_TRUE(client.hear<Ok>().accepted);
}

TEST(PrivateRelay, ServesMembersOnly) {  // C5
  PrivateRelay home;
  TestClient member(home.relay), stranger(home.relay);
  enter(member, 1);
  member.publish(note("secret"));
  EXPECT_TRUE(member.hear<Ok>().accepted);
  member.request("all");
  EXPECT_EQ(member.hear_stored(), std::vector<std::string>{"secret"});

  stranger.hear<Challenge>();
  stranger.request("all");
  EXPECT_EQ(stranger.hear<Closed>().text, "auth-required: authenticate before reading");
  TestClient other(home.relay);
  prove(other, 3);
  EXPECT_FALSE(other.hear<Ok>().accepted);
  EXPECT_EQ(other.hear_frame().close_code(), 1008);
}

TEST(PrivateRelay, TakesSmallMessagesUntilItKnowsTheClient) {  // G4, C5
  PrivateRelay home;
  TestClient stranger(home.relay);
  stranger.hear<Challenge>();
  stranger.say("[\"REQ\",\"" + std::string(17'000, 'x') + "\",{}]");
  EXPECT_EQ(stranger.hear_frame().close_code(), 1009);
  TestClient member(home.relay);
  enter(member, 1);
  member.publish(note(std::string(100'000, 'x')));
  EXPECT_TRUE(member.hear<Ok>().accepted);
}

TEST(PrivateRelay, LimitsConnectionsThatHaveProvedNothing) {  // Q5
  PrivateRelay home;
  const auto here = core::IpAddress::from_v4({127, 0, 0, 1});
  TestClient a(home.relay), b(home.relay), member(home.relay);
  EXPECT_TRUE(comes_true([&] { return home.relay.relay->is_full(here); }));
  enter(member, 1);
  EXPECT_FALSE(home.relay.relay->is_full(here));
}

TEST(PrivateRelay, EndsTheConnectionOfARemovedMemberAtOnce) {  // G5
  PrivateRelay home;
  TestClient removed(home.relay), staying(home.relay);
  enter(removed, 1);
  enter(staying, 2);
  removed.request("all");
  removed.hear_stored();
  home.members.use_named({keypair(2).public_key()});
  EXPECT_THROW(removed.hear_frame(), std::runtime_error);
  staying.publish(note("still here"));
  EXPECT_TRUE(staying.hear<Ok>().accepted);
}

}  // namespace private_relay_test
}  // namespace graspd::serve
