#include "serve/git/git_child.h"

#include <gtest/gtest.h>
#include <optional>

#include "net/loopback_peer_testing.h"
#include "net/server.h"

namespace graspd::serve {
namespace git_child_test {

// A server that runs a shell for each request and tells how that ended.
class ShellServer final : public net::Handler {
 public:
  explicit ShellServer(std::string script) : script_(std::move(script)) {
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    CHECK(listening);
    server_ = *std::move(listening);
    server_->start(*this);
  }
  ShellServer(const ShellServer&) = delete;
  ShellServer& operator=(const ShellServer&) = delete;
  ~ShellServer() override { server_->stop(std::chrono::seconds(20)); }

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
    git::CommandLine command{.argv = {"/bin/sh", "-c", script_}, .env = {"PATH=/usr/bin:/bin"}};
    auto child = co_await GitChild::start(command, workers_);
    CHECK(child);
    GitChild::Source source = [exchange] { return read(exchange); };
    GitChild::Sink sink = [](std::string_view) { return take(); };
    GitChild::Watch watch{std::chrono::minutes(1), {}, {}};
    watch.cpu_max = [](std::uint64_t bytes) { return core::Duration(bytes * 100); };
    auto end = co_await GitChild::converse(*child, exchange, std::move(source), std::move(sink),
                                           std::move(watch));
    auto told = http::text_response(200, end.out_of_time ? "out of time" : "ended");
    co_await exchange->respond(std::move(told));
  }

  std::uint16_t port() const { return server_->port(); }

 private:
  static net::Task<std::optional<std::string_view>> read(std::shared_ptr<net::Exchange> exchange) {
    const auto bytes = co_await exchange->read();
    if (!bytes) co_return std::nullopt;
    co_return *bytes;
  }
  static net::Task<bool> take() { co_return true; }

  const std::string script_;
  Workers workers_{1};
  std::unique_ptr<net::Server> server_;
};

std::string answer(ShellServer& server) {
  net::LoopbackPeer peer(server.port());
  peer.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\na");
  return peer.read_all();
}

// Each of them takes little; all together take more than there is.
TEST(GitChild, CountsTheTimeOfAllItsProcesses) {  // R4
  ShellServer server(
      "while true; do sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'; done");
  EXPECT_TRUE(answer(server).ends_with("out of time"));
}

TEST(GitChild, EndsByItselfInTime) {  // R4
  ShellServer server("cat");
  EXPECT_TRUE(answer(server).ends_with("ended"));
}

}  // namespace git_child_test
}  // namespace graspd::serve
