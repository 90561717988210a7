// A server for tests. Echoes messages; some messages are orders (see EchoHandler::obey).
#pragma once
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "net/server.h"

namespace graspd::net {

class EchoHandler final : public Handler {
 public:
  http::Response respond(const http::Request& request) override {
    return http::text_response(request.path() == "/missing" ? 404 : 200,
                               request.target + "|" + request.body);
  }
  std::optional<http::Response> refuse_upgrade(const http::Request& request) override {
    if (request.path() != "/banned") return std::nullopt;
    return http::text_response(403, "not you\n");
  }
  bool enter(const core::IpAddress&) override {
    if (plain_connections >= plain_max) return false;
    ++plain_connections;
    return true;
  }
  void leave(const core::IpAddress&) override { --plain_connections; }
  Task<void> serve(std::shared_ptr<WebSocket> socket, http::Request, std::size_t) override {
    last_served = socket;
    while (true) {
      auto message = co_await socket->read();
      if (!message) {
        ended(message.error());
        co_return;
      }
      const std::string text(message->text);
      if (text == "drain") {
        socket->write(std::string(16 * 1024 * 1024, 'x'));
        drained_ = co_await socket->drained_to(0);
      } else {
        answer(*socket, text);
      }
    }
  }
  void decorate(http::Headers& headers) const override {
    headers.add("Access-Control-Allow-Origin", "*");
  }

  // How the next connection's read ended.
  NetError wait_for_end() {
    std::future<NetError> end;
    {
      const std::lock_guard lock(mutex_);
      end = end_.get_future();
    }
    if (end.wait_for(std::chrono::seconds(20)) != std::future_status::ready)
      throw std::runtime_error("no connection ended");
    const std::lock_guard lock(mutex_);
    end_ = {};
    return end.get();
  }
  std::optional<bool> drained() const { return drained_.load(); }

  std::atomic<int> plain_connections = 0;
  std::atomic<int> plain_max = 1'000'000;
  std::atomic<std::weak_ptr<WebSocket>> last_served;

 private:
  void answer(WebSocket& socket, const std::string& order) {
    if (order == "close") return socket.close(CloseCode::Policy, "as told");
    if (order == "throw") throw std::runtime_error("as told");
    if (order != "burst") return socket.write(order);
    for (int i = 0; i < 1000; ++i) socket.write("message " + std::to_string(i));
  }
  void ended(NetError error) {
    const std::lock_guard lock(mutex_);
    try {
      end_.set_value(error);
    } catch (const std::future_error&) {  // nobody asked about the one before
    }
  }

  std::mutex mutex_;
  std::promise<NetError> end_;
  std::atomic<std::optional<bool>> drained_;
};

struct EchoServer {
  explicit EchoServer(const ServerOptions& options = {}) {
    auto listening = listen({"127.0.0.1", 0, std::nullopt}, options);
    if (!listening) throw std::runtime_error(listening.error());
    server = std::move(*listening);
    server->start(handler);
  }
  std::uint16_t port() const { return server->port(); }

  EchoHandler handler;
  std::unique_ptr<Server> server;
};

}  // namespace graspd::net
