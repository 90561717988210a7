#include "serve/site/relay_server.h"

#include <algorithm>

#include "core/log.h"
#include "http/client_address.h"
#include "http/cors.h"
#include "net/clock.h"
#include "serve/git/git_server.h"

namespace graspd::serve {
namespace {

http::Response unavailable(std::string text) {
  auto response = http::text_response(503, std::move(text));
  response.headers.add("Retry-After", "5");
  return response;
}

}  // namespace

// Everything that exists between open() and close().
struct RelayServer::Running {
  Running(RelayServer& relay, net::Server& server, const nostr::RelayUrl& url, SiteOptions pages)
      : self(url),
        owner(pages.identity.pubkey),
        site(std::move(pages)),
        threads(server.threads()),
        item_sets(relay.store_,
                  {relay.options_.limits.negentropy_items, relay.options_.item_set_bytes}),
        workers(relay.options_.query_threads, Workers::Priority::Background),
        quick_workers(1),
        ingest(relay.store_, relay.acceptance_, self, relay.meters_, relay.options_.ingest,
               [&relay](CommitReport report) { relay.tell(std::move(report)); }),
        relay_context{
            relay.options_.limits, self,      owner,          relay.store_,  ingest, workers,
            quick_workers,         item_sets, relay.clients_, relay.meters_, server} {
    for (std::size_t i = 0; i < threads.size(); ++i) threads[i].index = i;
  }

  const nostr::RelayUrl self;
  const nostr::PublicKey owner;
  const Site site;
  std::vector<ThreadContext> threads;
  ItemSets item_sets;
  Workers workers, quick_workers;
  Ingest ingest;
  RelayContext relay_context;
  std::unique_ptr<PeriodicTimer> metronome;
};

RelayServer::RelayServer(RelayServerOptions options, store::EventStore& store,
                         relay::Acceptance& acceptance)
    : options_(std::move(options)),
      store_(store),
      acceptance_(acceptance),
      clients_(options_.clients) {}

RelayServer::~RelayServer() { close(); }

void RelayServer::open(net::Server& server, const nostr::RelayUrl& self, SiteOptions site) {
  CHECK(!running_);
  site.trouble = [this, others = site.trouble]() -> std::optional<std::string> {
    if (running_->ingest.storage_fails()) return "the last write to the database failed";
    return others();
  };
  running_ = std::make_unique<Running>(*this, server, self, std::move(site));
  Running* running = running_.get();
  running->metronome = std::make_unique<PeriodicTimer>(options_.tick_interval, [running] {
    for (ThreadContext& thread : running->threads)
      running->relay_context.server.post(thread.index, [&thread] {
        for (const auto& [id, weak] : std::map(thread.connections))
          if (auto connection = weak.lock()) connection->tick();
      });
  });
  ready_ = running;
}

void RelayServer::close() {
  if (!running_) return;
  ready_ = nullptr;
  running_->metronome.reset();
  running_->ingest.stop();
  running_->workers.stop();
  running_->quick_workers.stop();
}

void RelayServer::decorate(http::Headers& headers) const { http::add_cors(headers); }

// Behind a proxy everybody comes from one address: it does the counting.
bool RelayServer::is_proxy(const core::IpAddress& peer) const {
  return std::ranges::any_of(options_.trusted_proxies,
                             [&](const core::Cidr& network) { return network.contains(peer); });
}

bool RelayServer::enter(const core::IpAddress& peer) {
  return is_proxy(peer) || clients_.enter_plain(peer);
}

void RelayServer::leave(const core::IpAddress& peer) {
  if (!is_proxy(peer)) clients_.leave_plain(peer);
}

http::Response RelayServer::respond(const http::Request& request) {
  Running* running = ready_;
  return running ? running->site.respond(request) : unavailable("starting or stopping\n");
}

Ingest& RelayServer::ingest() {
  CHECK(running_);
  return running_->ingest;
}

std::optional<net::StreamOptions> RelayServer::streams(const http::Request& request) {
  GitServer* git = git_;
  if (!git || !ready_) return std::nullopt;
  return git->streams(request);
}

net::Task<void> RelayServer::exchange(std::shared_ptr<net::Exchange> exchange) {
  GitServer* git = git_;
  if (git && ready_)
    co_await git->exchange(std::move(exchange));
  else
    co_await exchange->respond(unavailable("starting or stopping\n"));
}

std::optional<http::Response> RelayServer::refuse_upgrade(const http::Request& request) {
  Running* running = ready_;
  if (!running) return unavailable("starting or stopping\n");
  if (!running->site.is_relay_path(request))
    return http::text_response(404, "the relay is at another path\n");
  auto client = http::client_address(request.peer, request.headers, options_.trusted_proxies);
  if (clients_.is_full(client)) return unavailable("too many connections from your address\n");
  return std::nullopt;
}

net::Task<void> RelayServer::serve(std::shared_ptr<net::WebSocket> socket, http::Request request,
                                   std::size_t index) {
  Running* running = ready_;
  auto client = http::client_address(request.peer, request.headers, options_.trusted_proxies);
  request = {};  // a connection may live for days
  if (!running || !clients_.enter(client, net::now().instant)) {
    socket->close(net::CloseCode::TryAgainLater, "try again later");
    co_return;
  }
  meters_.connections_total += 1;
  meters_.connections_active += 1;
  ThreadContext& thread = running->threads[index];
  std::uint64_t id = ++connection_ids_;
  core::Instant begin = net::now().instant;
  auto connection = std::make_shared<ClientConnection>(running->relay_context, thread, id,
                                                       std::move(socket), client);
  thread.connections[id] = connection;
  co_await ClientConnection::run(std::move(connection));
  thread.connections.erase(id);
  meters_.connections_active -= 1;
  core::Instant end = net::now().instant;
  clients_.leave(client, end);
  options_.connection_ended(std::chrono::duration<double>(end - begin).count());
}

void RelayServer::tell(CommitReport report) {
  auto shared = std::make_shared<const CommitReport>(std::move(report));
  // Who has its OK may subscribe elsewhere at once: there the event is no news any more.
  const auto has_decision = [&](const ThreadContext& thread) {
    return std::ranges::any_of(shared->decisions, [&](const Decision& decision) {
      return decision.submitter.thread == thread.index;
    });
  };
  const auto tell_those = [&](bool those_with_a_decision) {
    for (ThreadContext& thread : running_->threads)
      if (has_decision(thread) == those_with_a_decision)
        running_->relay_context.server.post(
            thread.index, [this, &thread, shared] { tell_thread(thread, *shared); });
  };
  if (!shared->news.empty()) tell_those(false);  // or they need not be woken
  tell_those(true);
  std::lock_guard lock(listener_mutex_);
  if (listener_) (*listener_)(shared);
}

void RelayServer::set_listener(std::shared_ptr<const Listener> listener) {
  std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

void RelayServer::tell_thread(ThreadContext& thread, const CommitReport& report) {
  for (const Decision& decision : report.decisions) {
    if (decision.submitter.thread != thread.index) continue;
    auto found = thread.connections.find(decision.submitter.connection);
    if (found == thread.connections.end()) continue;
    if (auto connection = found->second.lock()) connection->decided(decision);
  }
  thread.batches += 1;
  std::vector<relay::Subscriber> subscribers;
  for (const NewEvent& news : report.news) {
    subscribers.clear();
    thread.subscriptions.match(news.event->event, subscribers);
    for (const relay::Subscriber& subscriber : subscribers) {
      auto found = thread.connections.find(subscriber.connection);
      if (found == thread.connections.end()) continue;
      if (auto connection = found->second.lock())
        connection->deliver(subscriber.subscription, news);
    }
  }
}

}  // namespace graspd::serve
