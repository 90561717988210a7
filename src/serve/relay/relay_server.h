// The relay: takes WebSocket connections, decides and stores what they send, delivers what is new.
//
//   R1  close() decides and reports everything that was submitted.
//   R2  It outlives its network: connections refer to it until the last one is gone.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/ip_address.h"
#include "net/server.h"
#include "serve/relay/client_connection.h"
#include "serve/runtime/periodic_timer.h"

namespace graspd::serve {

struct RelayServerOptions {
  static constexpr std::size_t kQueryThreads = 2;

  nostr::RelayUrl self;  // what clients call this relay
  nostr::PublicKey owner;
  relay::Limits limits;
  ClientLimits clients;
  IngestOptions ingest;
  std::size_t query_threads = kQueryThreads;
  // All negentropy sets together: about ten sessions over a million events.
  std::size_t item_set_bytes = 512 * 1024 * 1024;
  core::Duration tick_interval{5'000};
  std::function<void(double seconds)> connection_ended = [](double) {};
  Members* members = nullptr;  // of a private service; outlives the relay
};

class RelayServer {
 public:
  RelayServer(RelayServerOptions options, store::EventStore& store, relay::Acceptance& acceptance,
              net::Server& network);
  ~RelayServer();
  RelayServer(const RelayServer&) = delete;
  RelayServer& operator=(const RelayServer&) = delete;

  void close();  // nothing is undecided then; the network is stopped afterwards

  Ingest& ingest() { return ingest_; }
  // Is called for every commit, on the thread that reports it, and must be brief. With nullptr,
  // no call is in progress any more when this returns.
  using Listener = std::function<void(std::shared_ptr<const CommitReport>)>;
  void set_listener(std::shared_ptr<const Listener> listener);

  // This client has reached its limit of WebSockets.
  bool is_full(const core::IpAddress& client) const { return clients_.is_full(client); }
  // Runs as long as the connection, on network thread `index`.
  net::Task<void> serve(std::shared_ptr<net::WebSocket> socket, core::IpAddress client,
                        std::size_t index);

  const Meters& meters() const { return meters_; }
  ClientQuotas& clients() { return clients_; }
  const ClientQuotas& clients() const { return clients_; }

 private:
  void tell(CommitReport report);
  void tell_thread(ThreadContext& thread, const CommitReport& report);
  void tick();
  void each_connection(void (ClientConnection::*call)());

  const RelayServerOptions options_;
  net::Server& network_;
  Meters meters_;
  ClientQuotas clients_;
  std::atomic<std::uint64_t> connection_ids_{0};
  std::vector<ThreadContext> threads_;
  ItemSets item_sets_;
  Workers workers_, quick_workers_;
  std::mutex listener_mutex_;  // held while it is told
  std::shared_ptr<const Listener> listener_;
  Ingest ingest_;
  RelayContext context_;
  std::optional<PeriodicTimer> ticks_;
};

}  // namespace graspd::serve
