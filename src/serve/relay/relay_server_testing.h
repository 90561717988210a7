// A relay on a loopback socket and its clients, for tests: everything is real but the store, which
// is in memory.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/check.h"
#include "net/clock.h"
#include "net/loopback_peer_testing.h"
#include "nostr/json.h"
#include "nostr/relay_message.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "serve/relay/relay_server.h"
#include "serve/runtime/waiting_testing.h"
#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::serve::relay_testing {

using waiting::comes_true;
using waiting::kPatience;

inline nostr::Event note(std::string content, std::uint16_t kind = 1) {
  nostr::SecretKey::Bytes secret{};
  secret[31] = 7;
  nostr::Event event{.created_at = net::now().unix_seconds, .kind = {kind}};
  event.content = std::move(content);
  nostr::Keypair::from(nostr::SecretKey(secret))->sign(event, {});
  return event;
}

// Takes every event, but none while it is closed.
class GatedAcceptance final : public relay::Acceptance {
 public:
  relay::Verdict decide(const nostr::WireEventPtr&, const relay::Source&,
                        store::Changes&) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
    return relay::Accept{};
  }
  void set_open(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_open_ = is_open;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
};

inline RelayServerOptions relay_options() {
  return {.self = *nostr::RelayUrl::parse("wss://relay.example")};
}

// A relay that answers nothing but WebSockets.
class TestRelay final : public net::Handler {
 public:
  explicit TestRelay(RelayServerOptions options = relay_options(),
                     std::size_t network_threads = 1) {
    net::ServerOptions network;
    network.network_threads = network_threads;
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, network);
    CHECK(listening);
    server_ = *std::move(listening);
    relay.emplace(std::move(options), store, acceptance, *server_);
    server_->start(*this);
  }
  TestRelay(const TestRelay&) = delete;
  TestRelay& operator=(const TestRelay&) = delete;
  ~TestRelay() override { stop(); }

  // As the program does it: RelayServer R1 and R2.
  void stop() {
    if (!server_) return;
    acceptance.set_open(true);
    relay->close();
    server_->stop(kPatience);
    server_.reset();
  }

  // Stores events without anybody hearing of it.
  void fill(std::size_t count, std::size_t bytes_each) {
    std::vector<store::Write> writes;
    for (std::size_t i = 0; i < count; ++i)
      writes.push_back({store::testing::event(1, 1, 1'000 + i, {}, std::string(bytes_each, 'x'))});
    CHECK(store.write({.events = writes}, net::now().unix_seconds));
  }

  http::Response respond(const http::Request&) override {
    return http::text_response(404, "only WebSockets\n");
  }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override { return {}; }
  net::Task<void> serve(std::shared_ptr<net::WebSocket> socket, http::Request request,
                        std::size_t thread) override {
    return relay->serve(std::move(socket), request.peer, thread);
  }
  void decorate(http::Headers&) const override {}

  std::uint16_t port() const { return server_->port(); }
  std::uint64_t heard_events() const { return relay->meters().heard[0].value(); }

  store::MemoryStore store;
  GatedAcceptance acceptance;
  std::optional<RelayServer> relay;

 private:
  std::unique_ptr<net::Server> server_;
};

// One client, which reads only when it is told to.
class TestClient {
 public:
  explicit TestClient(const TestRelay& relay, int receive_buffer_bytes = 0)
      : peer_(relay.port(), receive_buffer_bytes) {
    peer_.upgrade();
  }

  void say(const std::string& text) { peer_.send(net::Frame{net::kText, text}); }
  void publish(const nostr::Event& event) { say(nostr::client_says::event(nostr::to_json(event))); }
  void request(std::string_view name, std::string_view filter = "{}") {
    say(nostr::client_says::req(name, filter));
  }

  nostr::RelayMessage hear() {
    const net::Frame frame = peer_.read_frame();
    if (frame.opcode != net::kText) throw std::runtime_error("no text: " + frame.payload);
    auto message = reader_.relay_message(frame.payload);
    if (!message) throw std::runtime_error(message.error() + ": " + frame.payload);
    return *std::move(message);
  }
  // The next message, which is of this kind.
  template <class Kind>
  Kind hear() {
    nostr::RelayMessage message = hear();
    if (!std::holds_alternative<Kind>(message))
      throw std::runtime_error("message " + std::to_string(message.index()) + " is another");
    return std::get<Kind>(std::move(message));
  }
  // The contents of events up to EOSE.
  std::vector<std::string> hear_stored() {
    std::vector<std::string> contents;
    while (true) {
      nostr::RelayMessage message = hear();
      if (std::holds_alternative<nostr::relay_said::EndOfStored>(message)) return contents;
      contents.push_back(std::get<nostr::relay_said::Matching>(message).event.content);
    }
  }
  // Proves that the network thread has had several turns.
  void round_trips(int count = 5) {
    for (int i = 0; i < count; ++i) {
      request("round trip", R"({"ids":[],"limit":1})");
      hear_stored();
      say(nostr::client_says::close("round trip"));
    }
  }
  net::Frame hear_frame() { return peer_.read_frame(); }

 private:
  net::LoopbackPeer peer_;
  nostr::JsonReader reader_;
};

}  // namespace graspd::serve::relay_testing
