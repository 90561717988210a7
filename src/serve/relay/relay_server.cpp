#include "serve/relay/relay_server.h"

#include <algorithm>

#include "net/clock.h"

namespace graspd::serve {

RelayServer::RelayServer(RelayServerOptions options, store::EventStore& store,
                         relay::Acceptance& acceptance, net::Server& network)
    : options_(std::move(options)),
      network_(network),
      clients_(options_.clients),
      threads_(network.threads()),
      item_sets_(store, {options_.limits.negentropy_items, options_.item_set_bytes}),
      workers_(options_.query_threads, Workers::Priority::Background),
      quick_workers_(1),
      ingest_(store, acceptance, options_.self, meters_, options_.ingest,
              [this](CommitReport report) { tell(std::move(report)); }),
      context_{options_.limits, options_.self, options_.owner, store,
               ingest_,         workers_,      quick_workers_, item_sets_,
               clients_,        meters_,       network_,       options_.members} {
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].index = i;
  if (options_.members)
    options_.members->listen([this] { each_connection(&ClientConnection::members_changed); });
  ticks_.emplace(options_.tick_interval, [this] { tick(); });
}

RelayServer::~RelayServer() { close(); }

void RelayServer::close() {
  ticks_.reset();
  ingest_.stop();
  workers_.stop();
  quick_workers_.stop();
}

void RelayServer::tick() { each_connection(&ClientConnection::tick); }

void RelayServer::each_connection(void (ClientConnection::*call)()) {
  for (ThreadContext& thread : threads_) {
    network_.post(thread.index, [&thread, call] {
      for (const auto& [id, weak] : std::map(thread.connections))
        if (auto connection = weak.lock()) ((*connection).*call)();
    });
  }
}

net::Task<void> RelayServer::serve(std::shared_ptr<net::WebSocket> socket, core::IpAddress client,
                                   std::size_t index) {
  if (!clients_.enter(client, net::now().instant)) {
    socket->close(net::CloseCode::TryAgainLater, "try again later");
    co_return;
  }
  meters_.connections_total += 1;
  meters_.connections_active += 1;
  ThreadContext& thread = threads_[index];
  const std::uint64_t id = ++connection_ids_;
  const core::Instant begin = net::now().instant;
  auto connection =
      std::make_shared<ClientConnection>(context_, thread, id, std::move(socket), client);
  thread.connections[id] = connection;
  co_await ClientConnection::run(std::move(connection));
  thread.connections.erase(id);
  meters_.connections_active -= 1;
  const core::Instant end = net::now().instant;
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
    for (ThreadContext& thread : threads_)
      if (has_decision(thread) == those_with_a_decision)
        network_.post(thread.index, [this, &thread, shared] { tell_thread(thread, *shared); });
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
