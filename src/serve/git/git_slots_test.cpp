#include "serve/git/git_slots.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

#include "net/loopback_peer_testing.h"

namespace graspd::serve {
namespace git_slots_test {

TEST(GitSlotLimits, GiveOneAddressAQuarterAtMostAndOneAtLeast) {  // R1
  const auto share = [](std::size_t all, std::size_t per_ip) {
    return GitSlotLimits{all, per_ip}.per_address();
  };
  EXPECT_EQ(share(64, 32), 16u);
  EXPECT_EQ(share(64, 0), 16u);
  EXPECT_EQ(share(64, 3), 3u);
  EXPECT_EQ(share(3, 16), 1u);
  EXPECT_EQ(share(0, 16), 16u);
  EXPECT_EQ(share(0, 0), 0u);
}

TEST(GitSlotLimits, GiveAdvertisementsSlotsOfTheirOwn) {
  EXPECT_EQ((GitSlotLimits{64, 16}.for_advertisements().processes_max), 16u);
  EXPECT_EQ((GitSlotLimits{1, 1}.for_advertisements().processes_max), 1u);
  EXPECT_EQ((GitSlotLimits{0, 0}.for_advertisements().processes_max), 0u);
}

// A server whose requests take a slot for the address in their path, answer its first line when
// they have it, and keep it until the client goes away.
class SlotServer final : public net::Handler {
 public:
  explicit SlotServer(const GitSlotLimits& limits) {
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    CHECK(listening);
    server_ = *std::move(listening);
    slots_.emplace(limits, *server_);
    server_->start(*this);
  }
  SlotServer(const SlotServer&) = delete;
  SlotServer& operator=(const SlotServer&) = delete;
  ~SlotServer() override { server_->stop(std::chrono::seconds(0)); }

  http::Response respond(const http::Request&) override { return http::text_response(404, ""); }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override {
    return http::text_response(404, "");
  }
  net::Task<void> serve(std::shared_ptr<net::WebSocket>, http::Request, std::size_t) override {
    co_return;
  }
  void decorate(http::Headers&) const override {}
  std::optional<net::StreamOptions> streams(const http::Request&) override {
    return net::StreamOptions{};
  }
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange) override {
    const auto client = core::IpAddress::parse(exchange->request().path().substr(1));
    const auto memory = exchange->request().headers.get("X-Memory").value_or("0");
    const auto slot = co_await slots_->take(*client, exchange, std::stoull(std::string(memory)));
    http::Response head;
    head.status = slot ? 200 : 503;
    if (!co_await exchange->begin(std::move(head))) co_return;
    if (!slot) {
      co_await exchange->finish();
      co_return;
    }
    co_await exchange->write("taken");
    co_await exchange->gone();
  }

  std::uint16_t port() const { return server_->port(); }
  const GitSlots& slots() const { return *slots_; }

 private:
  std::unique_ptr<net::Server> server_;
  std::optional<GitSlots> slots_;
};

using Peer = std::unique_ptr<net::LoopbackPeer>;

Peer ask(SlotServer& server, std::string_view address, std::uint64_t memory = 0) {
  auto peer = std::make_unique<net::LoopbackPeer>(server.port());
  peer->send(fmt::format("GET /{} HTTP/1.1\r\nHost: x\r\nX-Memory: {}\r\n\r\n", address, memory));
  return peer;
}

template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}
bool come_to_wait(SlotServer& server, std::size_t count) {
  return comes_true([&] { return server.slots().waiting() == count; });
}

TEST(GitSlots, LetOthersInBesideAnAddressThatHasItsQuarter) {  // R1
  SlotServer server({8, 0, std::chrono::minutes(1)});
  std::vector<Peer> greedy;
  for (int i = 0; i < 5; ++i) greedy.push_back(ask(server, "192.0.2.1"));
  ASSERT_TRUE(come_to_wait(server, 3));
  EXPECT_EQ(server.slots().taken(), 2u);
  ask(server, "192.0.2.2")->read_until("taken");
}

TEST(GitSlots, TakeTheSixtyFourthPartOfIPv6ForOneClient) {  // R1
  SlotServer server({4, 0, std::chrono::minutes(1)});
  const auto first = ask(server, "2001:db8::1");
  first->read_until("taken");
  const auto same = ask(server, "2001:db8::ffff:1");
  EXPECT_TRUE(come_to_wait(server, 1));
  ask(server, "2001:db8:0:1::1")->read_until("taken");
}

TEST(GitSlots, LetAddressesTakeTurns) {  // R2
  SlotServer server({1, 0, std::chrono::minutes(1)});
  auto first = ask(server, "192.0.2.1");
  first->read_until("taken");
  std::vector<Peer> crowd;
  for (int i = 0; i < 5; ++i) {
    crowd.push_back(ask(server, "192.0.2.1"));
    ASSERT_TRUE(come_to_wait(server, crowd.size()));
  }
  const auto late = ask(server, "192.0.2.2");
  ASSERT_TRUE(come_to_wait(server, 6));
  first.reset();
  crowd[0]->read_until("taken");
  crowd[0].reset();
  late->read_until("taken");  // before the other four
}

TEST(GitSlots, AddUpWhatProcessesMayUse) {  // R3
  SlotServer server({0, 0, std::chrono::minutes(1), 1'000});
  auto first = ask(server, "192.0.2.1", 600);
  first->read_until("taken");
  const auto second = ask(server, "192.0.2.2", 300);
  second->read_until("taken");
  const auto third = ask(server, "192.0.2.3", 200);
  ASSERT_TRUE(come_to_wait(server, 1));
  const auto small = ask(server, "192.0.2.4", 100);
  small->read_until("taken");
  EXPECT_EQ(server.slots().memory(), 1'000u);
  first.reset();
  third->read_until("taken");
}

TEST(GitSlots, GiveOneAddressAQuarterOfTheMemory) {  // R3
  SlotServer server({0, 0, std::chrono::minutes(1), 1'000});
  const auto first = ask(server, "192.0.2.1", 200);
  first->read_until("taken");
  const auto second = ask(server, "192.0.2.1", 100);
  ASSERT_TRUE(come_to_wait(server, 1));
  ask(server, "192.0.2.2", 600)->read_until("taken");  // one of each address, whatever it takes
}

TEST(GitSlots, LetASingleProcessHaveMoreThanTheBudget) {  // R3
  SlotServer server({0, 0, std::chrono::minutes(1), 1'000});
  ask(server, "192.0.2.1", 5'000)->read_until("taken");
}

TEST(GitSlots, ForgetThoseWhoHaveGone) {  // R4
  SlotServer server({1, 0, std::chrono::minutes(1)});
  auto first = ask(server, "192.0.2.1");
  first->read_until("taken");
  auto second = ask(server, "192.0.2.2");
  ASSERT_TRUE(come_to_wait(server, 1));
  second.reset();
  EXPECT_TRUE(come_to_wait(server, 0));
  first.reset();
  EXPECT_TRUE(comes_true([&] { return server.slots().taken() == 0; }));
}

TEST(GitSlots, SendAwayWhoWaitsTooLong) {  // R4
  SlotServer server({1, 0, core::Duration(20)});
  const auto first = ask(server, "192.0.2.1");
  first->read_until("taken");
  EXPECT_TRUE(ask(server, "192.0.2.2")->read_until("\r\n").starts_with("HTTP/1.1 503 "));
}

}  // namespace git_slots_test
}  // namespace graspd::serve
