#include "serve/site/http_front.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/git/git_server.h"
#include "serve/host/grasp_host_testing.h"
#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace http_front_test {

using relay_testing::GatedAcceptance;
using relay_testing::kPatience;

SiteOptions site_options() {
  SiteOptions options;
  options.start_page = [] { return http::text_response(200, "welcome"); };
  return options;
}

// Everything behind one port, as `graspd serve` has it.
class Service {
 public:
  explicit Service(RelayServerOptions options = relay_testing::relay_options(),
                   std::vector<core::Cidr> trusted_proxies = {}) {
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    CHECK(listening);
    server_ = *std::move(listening);
    relay.emplace(std::move(options), store_, acceptance_, *server_);
    GitServerOptions git;
    git.page = [](const auto&, std::string_view) { return http::text_response(404, "no page"); };
    git_.emplace(std::move(git), *world_.host, *server_);
    front.emplace(std::move(trusted_proxies), site_options(), *relay, &*git_);
    server_->start(*front);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    relay->close();
    server_->stop(kPatience);
    server_.reset();
  }

  net::LoopbackPeer connect() const { return net::LoopbackPeer(server_->port()); }
  std::string get(const std::string& target) const {
    auto client = connect();
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target));
    return client.read_all();
  }
  static std::string repository() {
    return "/" + nostr::nip19::npub(host_testing::keypair(1).public_key()) + "/project.git";
  }
  static std::string refs() { return repository() + "/info/refs?service=git-upload-pack"; }
  void announce() { world_.ask(host_testing::announcement(1, "us.example")); }

  std::optional<RelayServer> relay;
  std::optional<HttpFront> front;

 private:
  store::MemoryStore store_;
  GatedAcceptance acceptance_;
  host_testing::Host world_;
  std::optional<GitServer> git_;
  std::unique_ptr<net::Server> server_;
};

TEST(HttpFront, RoutesPagesGitAndWebSocketsOfOnePort) {
  Service service;
  service.announce();
  EXPECT_TRUE(service.get("/").ends_with("welcome"));
  const auto refs = service.get(Service::refs());
  EXPECT_TRUE(refs.starts_with("HTTP/1.1 200")) << refs;
  EXPECT_NE(refs.find("# service=git-upload-pack"), std::string::npos);
  auto client = service.connect();
  EXPECT_TRUE(client.upgrade().starts_with("HTTP/1.1 101"));
  EXPECT_EQ(client.echo(R"(["REQ","a",{"limit":0}])"), R"(["EOSE","a"])");
}

TEST(HttpFront, PutsCorsOnEveryAnswer) {
  const Service service;
  for (const auto& target : {std::string("/"), std::string("/nothing"), Service::refs()})
    EXPECT_NE(service.get(target).find("Access-Control-Allow-Origin: *\r\n"), std::string::npos);
}

TEST(HttpFront, RefusesEverythingOnceItIsClosed) {  // R1
  Service service;
  service.announce();
  auto early = service.connect();
  EXPECT_TRUE(early.upgrade().starts_with("HTTP/1.1 101"));
  service.front->close();
  for (const auto& target : {std::string("/"), Service::refs()}) {
    const auto answer = service.get(target);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
    EXPECT_NE(answer.find("Retry-After: "), std::string::npos) << answer;
  }
  EXPECT_TRUE(service.connect().upgrade().starts_with("HTTP/1.1 503"));
  // A connection that was there before goes on until the relay closes.
  EXPECT_EQ(early.echo(R"(["REQ","a",{"limit":0}])"), R"(["EOSE","a"])");
}

TEST(HttpFront, CountsTheClientThatATrustedProxyNames) {  // R2
  auto options = relay_testing::relay_options();
  options.clients.connections_per_address = 1;
  Service service(std::move(options), {*core::Cidr::parse("127.0.0.0/8")});
  auto one = service.connect(), same = service.connect(), other = service.connect();
  EXPECT_TRUE(one.upgrade("X-Forwarded-For: 203.0.113.1\r\n").starts_with("HTTP/1.1 101"));
  one.echo(R"(["REQ","a",{"limit":0}])");  // it has entered
  const auto refused = same.upgrade("X-Forwarded-For: 203.0.113.1\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
  EXPECT_TRUE(other.upgrade("X-Forwarded-For: 203.0.113.2\r\n").starts_with("HTTP/1.1 101"));
}

TEST(HttpFront, BelievesNobodyElseWhoTheClientIs) {  // R2
  auto options = relay_testing::relay_options();
  options.clients.connections_per_address = 1;
  Service service(std::move(options));
  auto one = service.connect(), other = service.connect();
  EXPECT_TRUE(one.upgrade("X-Forwarded-For: 203.0.113.1\r\n").starts_with("HTTP/1.1 101"));
  one.echo(R"(["REQ","a",{"limit":0}])");
  EXPECT_TRUE(other.upgrade("X-Forwarded-For: 203.0.113.2\r\n").starts_with("HTTP/1.1 503"));
}

TEST(HttpFront, OpensWebSocketsWhereTheRelayIsAndNowhereElse) {
  const Service service;
  auto client = service.connect();
  client.send(
      "GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 404"));
}

}  // namespace http_front_test
}  // namespace graspd::serve
