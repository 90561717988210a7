// A server for tests that answers as a stream. What it does is in the path (see exchange()).
#pragma once
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "net/later.h"
#include "net/server.h"

namespace graspd::net {

inline const char* name_of(NetError error) {
  switch (error) {
    case NetError::Closed:
      return "closed";
    case NetError::TimedOut:
      return "timed out";
    case NetError::TooSlow:
      return "too slow";
    case NetError::Protocol:
      return "protocol";
    case NetError::TooBig:
      return "too big";
    case NetError::Failed:
      return "failed";
  }
  return "?";
}

class StreamHandler final : public Handler {
 public:
  http::Response respond(const http::Request& request) override {
    return http::text_response(200, "whole " + request.target + "|" + request.body);
  }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override {
    return http::text_response(403, "no\n");
  }
  Task<void> serve(std::shared_ptr<WebSocket>, http::Request, std::size_t) override { co_return; }
  void decorate(http::Headers& headers) const override {
    headers.add("Access-Control-Allow-Origin", "*");
  }
  std::optional<StreamOptions> streams(const http::Request& request) override {
    if (request.path().starts_with("/whole")) return std::nullopt;
    return options;
  }

  Task<void> exchange(std::shared_ptr<Exchange> exchange) override {
    ++started;
    const Ended guard{ended};
    const std::string path(exchange->request().path());
    if (path == "/echo") co_await echo(exchange);
    if (path == "/count") co_await count(exchange);
    if (path == "/refuse") co_await refuse(exchange);
    if (path == "/flood") co_await flood(exchange);
    if (path == "/half") co_await begin_only(exchange);
    if (path == "/throw") throw std::runtime_error("as told");
    if (path == "/gone") co_await exchange->gone();
    if (path == "/asleep") co_await pause(core::Duration{3'600'000});
    if (path == "/race") co_await first(exchange->gone(), pause(core::Duration{3'600'000}));
    if (path == "/watched") co_await both(exchange->gone(), echo(exchange));
  }

  StreamOptions options{.body_bytes_max = 64 * 1024 * 1024};
  std::atomic<int> started = 0;
  std::atomic<int> ended = 0;
  std::atomic<std::uint64_t> flooded = 0;  // bytes written by /flood
  std::atomic<std::uint64_t> read = 0;     // bytes read by /count
  std::atomic<std::optional<NetError>> failure;

 private:
  struct Ended {
    std::atomic<int>& count;
    ~Ended() { ++count; }
  };

  Task<void> echo(std::shared_ptr<Exchange> exchange) {
    http::Response head;
    head.headers.add("X-Kind", "echo");
    co_await exchange->begin(head);
    while (true) {
      const auto bytes = co_await exchange->read();
      if (!bytes) co_return;
      if (bytes->empty()) break;
      const bool open = co_await exchange->write(*bytes);
      if (!open) co_return;
    }
    co_await exchange->finish();
  }

  Task<void> count(std::shared_ptr<Exchange> exchange) {
    std::uint64_t size = 0;
    while (true) {
      const auto bytes = co_await exchange->read();
      if (!bytes) {
        failure = bytes.error();
        co_await exchange->respond(http::text_response(400, name_of(bytes.error())));
        co_return;
      }
      if (bytes->empty()) break;
      size += bytes->size();
      read = size;
    }
    co_await exchange->respond(http::text_response(200, fmt::to_string(size)));
  }

  Task<void> refuse(std::shared_ptr<Exchange> exchange) {
    co_await exchange->respond(http::text_response(403, "not you"));
  }

  Task<void> flood(std::shared_ptr<Exchange> exchange) {
    const std::string piece(64 * 1024, 'x');
    const http::Response head;
    bool open = co_await exchange->begin(head);
    while (open) {
      open = co_await exchange->write(piece);
      if (open) flooded += piece.size();
    }
  }

  Task<void> begin_only(std::shared_ptr<Exchange> exchange) {
    const http::Response head;
    co_await exchange->begin(head);
    co_await exchange->write("half");
  }
};

struct StreamServer {
  explicit StreamServer(const ServerOptions& options = {},
                        const StreamOptions& streams = {.body_bytes_max = 64 << 20}) {
    handler.options = streams;
    auto listening = listen({"127.0.0.1", 0, std::nullopt}, options);
    if (!listening) throw std::runtime_error(listening.error());
    server = std::move(*listening);
    server->start(handler);
  }
  std::uint16_t port() const { return server->port(); }

  StreamHandler handler;
  std::unique_ptr<Server> server;
};

// Waits for a condition, with patience.
template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace graspd::net
