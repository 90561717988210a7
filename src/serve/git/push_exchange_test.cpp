#include "serve/git/push_exchange.h"

#include <condition_variable>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "git/pkt_line.h"
#include "gitio/repositories_testing.h"
#include "net/loopback_peer_testing.h"
#include "net/server.h"
#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace push_exchange_test {

// Takes every push, and does not come to an end with it before it is told to.
class SlowTarget : public PushTarget {
 public:
  std::string key(const grasp::Coordinate&) const override { return "slow"; }
  std::filesystem::path path(const grasp::Coordinate&) const override { return "/nonexistent"; }
  std::optional<std::string> closed(const grasp::Coordinate&) const override { return {}; }
  git::ReceiveLimits limits(const grasp::Coordinate&) const override { return {}; }
  std::optional<std::uint64_t> space(const grasp::Coordinate&, const Uploader&) const override {
    return {};
  }
  std::string beyond_quota(const grasp::Coordinate&) const override { return {}; }
  void failed(const grasp::Coordinate&) override {}

  PushCheck check(const grasp::Coordinate&, const git::PushRequest& request) override {
    PushCheck check;
    check.verdicts.assign(request.commands.size(), git::Apply{});
    return check;
  }
  std::vector<git::Result> deliver(const grasp::Coordinate&, const git::PushRequest& request,
                                   std::optional<gitio::Staging>) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return over_; });
    std::vector<git::Result> results;
    for (const git::Command& command : request.commands)
      results.push_back({command.ref, std::nullopt});
    return results;
  }
  void end() {
    std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
};

// A server all of whose requests are pushes into one target.
class PushServer final : public net::Handler {
 public:
  PushServer() {
    GraspHostOptions options;
    options.hosting.root = folder_.path();
    options.policy.service = *grasp::Service::parse("us.example");
    host_.emplace(std::move(options), store_);
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    CHECK(listening);
    server_ = *std::move(listening);
    slots_.emplace(GitSlotLimits{}, *server_);
    place_.emplace(*slots_, held_, core::IpAddress(), GitMemory{});
    server_->start(*this);
  }
  PushServer(const PushServer&) = delete;
  PushServer& operator=(const PushServer&) = delete;
  ~PushServer() override {
    target.end();
    server_->stop(std::chrono::seconds(20));
    host_->close();
  }

  http::Response respond(const http::Request&) override {
    return http::text_response(404, "only pushes\n");
  }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override {
    return http::text_response(404, "only pushes\n");
  }
  net::Task<void> serve(std::shared_ptr<net::WebSocket>, http::Request, std::size_t) override {
    co_return;
  }
  void decorate(http::Headers&) const override {}
  std::optional<net::StreamOptions> streams(const http::Request&) override {
    return net::StreamOptions{};
  }
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange) override {
    const grasp::Coordinate repo{{}, *grasp::Identifier::parse("project")};
    auto push = std::make_shared<PushExchange>(*host_, target, meters_, exchange, repo, *place_,
                                               std::chrono::minutes(1), core::Duration(5));
    co_await PushExchange::run(std::move(push));
  }

  std::uint16_t port() const { return server_->port(); }
  SlowTarget target;

 private:
  gitio::testing::TemporaryFolder folder_;
  store::MemoryStore store_;
  std::optional<GraspHost> host_;
  GitMeters meters_;
  std::unique_ptr<net::Server> server_;
  std::optional<GitSlots> slots_;
  HeldBytes held_{1 << 20};
  std::optional<PushExchange::Place> place_;
};

// A deletion: it needs no pack.
std::string push_request(std::string_view capabilities) {
  std::string line =
      fmt::format("{} {} refs/heads/main", std::string(40, 'a'), std::string(40, '0'));
  line += '\0';
  line += capabilities;
  std::string body;
  git::append_pkt(body, line);
  body += git::kFlushPkt;
  return fmt::format(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      body.size(), body);
}

TEST(PushExchange, TellsThatItIsStillAtWork) {  // R4
  PushServer server;
  net::LoopbackPeer client(server.port());
  client.send(push_request("report-status side-band-64k"));
  // Twice: it goes on. What does not come in time is an exception.
  for (int i = 0; i < 2; ++i) client.read_until("\2GRASP is finalizing the push\n");
  server.target.end();
  EXPECT_NE(client.read_all().find("ok refs/heads/main\n"), std::string::npos);
}

TEST(PushExchange, SaysNothingBesidesTheReportToThoseWithoutSideBand) {  // R4
  PushServer server;
  net::LoopbackPeer client(server.port());
  client.send(push_request("report-status"));
  server.target.end();
  const std::string answer = client.read_all();
  EXPECT_NE(answer.find("000eunpack ok\n0017ok refs/heads/main\n0000"), std::string::npos)
      << answer;
}

}  // namespace push_exchange_test
}  // namespace graspd::serve
