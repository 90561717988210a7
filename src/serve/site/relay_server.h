// The relay as the network sees it: HTTP answers, WebSocket connections, and the announcements
// that reach them.
//
//   R1  Before open() and after close() everything is refused with 503: a connection always finds
//       what it needs.
//   R2  close() decides and announces everything that was submitted.
//   R3  It outlives its server: connections look at what is here until the last one is gone.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/ip_address.h"
#include "net/server.h"
#include "serve/relay/client_connection.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/site/site.h"

namespace graspd::serve {

class GitServer;

struct RelayServerOptions {
  relay::Limits limits;
  ClientLimits clients;
  IngestOptions ingest;
  std::size_t query_threads = 2;
  // All negentropy sets together: about ten sessions over a million events.
  std::size_t item_set_bytes = 512 * 1024 * 1024;
  std::vector<core::Cidr> trusted_proxies;
  core::Duration tick_interval{5'000};
  std::function<void(double seconds)> connection_ended = [](double) {};
};

class RelayServer : public net::Handler {
 public:
  RelayServer(RelayServerOptions options, store::EventStore& store, relay::Acceptance& acceptance);
  ~RelayServer() override;

  // `self` is what clients call this relay; it is known when the port is.
  void open(net::Server& server, const nostr::RelayUrl& self, SiteOptions site);
  void close();  // no new connections, nothing undecided

  // After open(): where events decided elsewhere go.
  Ingest& ingest();
  // Hears of every report, on the thread that makes it: brief. nullptr: nobody, and nobody is
  // being told any more when this returns.
  using Listener = std::function<void(std::shared_ptr<const CommitReport>)>;
  void set_listener(std::shared_ptr<const Listener> listener);
  // Requests about repositories go there, from here on; nullptr: nowhere. It outlives the server.
  void set_git(GitServer* git) { git_ = git; }

  const Meters& meters() const { return meters_; }
  const ClientQuotas& clients() const { return clients_; }

  bool enter(const core::IpAddress& peer) override;
  void leave(const core::IpAddress& peer) override;
  http::Response respond(const http::Request& request) override;
  std::optional<net::StreamOptions> streams(const http::Request& request) override;
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange) override;
  std::optional<http::Response> refuse_upgrade(const http::Request& request) override;
  net::Task<void> serve(std::shared_ptr<net::WebSocket> socket, http::Request request,
                        std::size_t thread) override;
  void decorate(http::Headers& headers) const override;

 private:
  struct Running;

  bool is_proxy(const core::IpAddress& peer) const;
  void tell(CommitReport report);
  void tell_thread(ThreadContext& thread, const CommitReport& report);

  const RelayServerOptions options_;
  store::EventStore& store_;
  relay::Acceptance& acceptance_;
  Meters meters_;
  ClientQuotas clients_;
  std::atomic<std::uint64_t> connection_ids_{0};
  std::unique_ptr<Running> running_;
  std::atomic<Running*> ready_{nullptr};
  std::atomic<GitServer*> git_{nullptr};
  std::mutex listener_mutex_;  // held while it is told
  std::shared_ptr<const Listener> listener_;
};

}  // namespace graspd::serve
