#include "app/server/serve.h"

#include <csignal>
#include <functional>
#include <sys/resource.h>

#include "app/base/exit_code.h"
#include "app/base/owner_key.h"
#include "app/base/terminals.h"
#include "app/base/version.h"
#include "app/config/config.h"
#include "app/server/inherited_socket.h"
#include "app/server/start_checks.h"
#include "app/server/verify_page.h"
#include "app/server/wiring.h"
#include "lmdb/lmdb_store.h"
#include "metrics/cgroup.h"
#include "metrics/process.h"
#include "nostr/nip19.h"
#include "serve/fetch/fetch_metrics.h"
#include "serve/fetch/verification_metrics.h"
#include "serve/git/git_metrics.h"
#include "serve/host/rejected_metrics.h"
#include "serve/host/repository_sizes.h"
#include "serve/runtime/disk_watch.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/site/relay_metrics.h"
#include "serve/site/relay_server.h"
#include "serve/site/sync_metrics.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

// Whoever starts a program with nohup wants it to outlive the terminal: then SIGHUP stays ignored.
bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Blocked before any thread starts, so that only wait_for_stop() gets them.
sigset_t block_signals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  if (!is_ignored(SIGHUP)) sigaddset(&stop, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return stop;
}

// What SIGHUP asks for.
using OnHangup = std::function<void()>;

void wait_for_stop(const sigset_t& signals, const OnHangup& on_hangup) {
  const Terminals terminals;
  for (;;) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP || terminals.are_gone()) {
      core::log::info("stopping on signal {}", signal);
      return;
    }
    on_hangup();
  }
}

// A connection is a file: take as many as the system grants.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    core::log::warn("could not raise the limit of open files to {}", limit.rlim_max);
}

Result<std::unique_ptr<lmdb::LmdbStore>, std::string> open_store(const Settings& settings) {
  lmdb::Options options;
  options.in_memory = settings.backend == Backend::Memory;
  options.path = options.in_memory ? "" : settings.relay_data_path;
  options.sync = settings.database_sync;
  return lmdb::LmdbStore::open(options);
}

constexpr core::Duration kDiskLookInterval{1'000};

// Without a sync per commit, a power cut costs at most this much.
constexpr core::Duration kFlushInterval{1'000};

std::unique_ptr<serve::PeriodicTimer> flush_now_and_then(const Settings& settings,
                                                         lmdb::LmdbStore& store) {
  if (settings.database_sync || settings.backend == Backend::Memory) return nullptr;
  return std::make_unique<serve::PeriodicTimer>(kFlushInterval, [&store] {
    if (auto flushed = store.flush(); !flushed)
      core::log::error("flushing the database failed: {}", store::describe(flushed.error()));
  });
}

Result<net::Endpoint, std::string> endpoint(const Settings& settings) {
  auto inherited = inherited_socket(settings, process_environment());
  if (!inherited) return Failure{inherited.error()};
  return net::Endpoint{settings.bind_ip.text(), settings.bind_port, *inherited};
}

metrics::Histogram connection_durations(metrics::Registry& registry) {
  return registry.histogram("ngit_websocket_connection_duration_seconds",
                            "How long WebSocket connections lasted",
                            {1, 5, 15, 30, 60, 300, 900, 3600});
}

// What runs in every mode, between the listening socket and the signal to stop.
class Service {
 public:
  Service(const Settings& settings, const OwnerKey& owner, lmdb::LmdbStore& store,
          relay::Acceptance& acceptance)
      : settings_(settings),
        owner_(owner),
        store_(store),
        relay_(relay_options(settings, connection_durations(registry_)), store, acceptance) {
    metrics::add_process_metrics(registry_);
    metrics::add_cgroup_metrics(registry_);
    serve::add_build_metrics(registry_, kVersion);
    serve::add_relay_metrics(registry_, relay_);
    serve::add_disk_metrics(registry_, free_disk_, folder_names(settings));
    registry_.read_gauge("ngit_database_bytes", "What the event database takes on disk",
                         [&store] { return static_cast<double>(store.used_bytes()); });
  }

  Result<core::Done, std::string> listen(const net::Endpoint& where) {
    auto server = net::listen(where, settings_.server, relay_);
    if (!server) return Failure{server.error()};
    server_ = *std::move(server);
    return core::Done{};
  }
  void open(HostedFn hosted = {}, const SyncWindow* sync = nullptr,
            serve::Verifier* verifier = nullptr) {
    auto site = site_options(settings_, owner_, port(), registry_, disk_, std::move(hosted), sync);
    if (verifier) add_verify_page(site, settings_, port(), *verifier);
    relay_.open(*server_, service_url(settings_, port()), std::move(site));
  }
  void run(const sigset_t& signals, const OnHangup& on_hangup) {
    server_->start();
    core::log::info("graspd {} serves {} on {}", kVersion, service_url(settings_, port()).text(),
                    bind_address(settings_, port()));
    auto flusher = flush_now_and_then(settings_, store_);
    wait_for_stop(signals, on_hangup);
  }
  // Nothing undecided is left behind.
  void close() {
    relay_.close();
    server_->stop(settings_.shutdown_drain);
    core::log::info("stopped");
  }

  std::uint16_t port() const { return server_->port(); }
  serve::RelayServer& relay() { return relay_; }
  net::Server& server() { return *server_; }
  metrics::Registry& registry() { return registry_; }
  const serve::DiskWatch& disk() const { return disk_; }

 private:
  const Settings& settings_;
  const OwnerKey& owner_;
  lmdb::LmdbStore& store_;
  metrics::Registry registry_;
  const std::shared_ptr<const serve::FreeDisk> free_disk_ = free_disk(settings_);
  serve::DiskWatch disk_{free_disk_};
  serve::PeriodicTimer disk_metronome_{kDiskLookInterval, [this] { disk_.look(); }};
  serve::RelayServer relay_;
  std::unique_ptr<net::Server> server_;
};

Result<core::Done, std::string> serve_relay(const Settings& settings, const OwnerKey& owner,
                                            lmdb::LmdbStore& store, const net::Endpoint& where,
                                            const sigset_t& signals) {
  relay::OpenAcceptance acceptance;
  Service service(settings, owner, store, acceptance);
  if (auto listening = service.listen(where); !listening) return listening;
  service.open();
  service.run(signals, [] {
    core::log::info("SIGHUP: NGIT_ACCEPT=open uses no lists that could be read again");
  });
  service.close();
  return core::Done{};
}

// The policy must know the port before it can decide, and the port is known once it is bound.
class LateAcceptance : public relay::Acceptance {
 public:
  void set(relay::Acceptance& acceptance) { acceptance_ = &acceptance; }
  relay::Verdict decide(const nostr::WireEventPtr& event, const relay::Source& source,
                        store::Changes& changes) override {
    return acceptance_->decide(event, source, changes);
  }
  void settled(std::span<const relay::Settled> events) override { acceptance_->settled(events); }
  void failed() override { acceptance_->failed(); }
  void refused(const nostr::WireEventPtr& event, const relay::Source& source,
               const relay::Refusal& refusal, store::Changes& changes) override {
    acceptance_->refused(event, source, refusal, changes);
  }
  void proceed(const nostr::WireEventPtr& event, const relay::Source& source,
               relay::Answer answer) override {
    acceptance_->proceed(event, source, std::move(answer));
  }
  bool knows(const nostr::EventId& id) const override { return acceptance_->knows(id); }
  std::vector<store::Position> known(const nostr::Filter& filter) const override {
    return acceptance_->known(filter);
  }

 private:
  relay::Acceptance* acceptance_ = nullptr;
};

Result<core::Done, std::string> serve_grasp(const Settings& settings, const OwnerKey& owner,
                                            lmdb::LmdbStore& store, const net::Endpoint& where,
                                            const sigset_t& signals,
                                            const ReadSettings& read_settings) {
  LateAcceptance acceptance;
  SyncWindow window;
  Service service(settings, owner, store, acceptance);
  if (auto listening = service.listen(where); !listening) return listening;
  auto options = host_options(settings, owner, service.port());
  if (!options) return Failure{options.error()};
  if (auto folder = expect_git_folder(options->hosting.root); !folder) return folder;
  window.look_into(service.disk());
  const grasp::Service own = options->policy.service;
  serve::GraspHost host(*std::move(options), store);
  if (auto loaded = host.load(); !loaded) return loaded;
  acceptance.set(host);
  serve::Verifier verifier(verifier_options(settings, own), host, store);
  window.look_into(verifier);
  serve::add_verification_metrics(service.registry(), verifier);
  serve::GitServer git(git_options(settings, service.port(), verifier, window), host,
                       service.server());
  serve::add_git_metrics(service.registry(), git, host, settings.metrics_top_repositories);
  if (settings.pr_repositories_enabled) serve::add_pr_repository_metrics(service.registry(), host);
  std::optional<serve::RepositorySizes> sizes;
  if (settings.metrics_enabled) {
    sizes.emplace(size_options(settings));
    serve::add_size_metrics(service.registry(), *sizes);
  }
  serve::add_rejected_metrics(service.registry(), host);
  service.open(hosted_by(host), settings.sync_enabled ? &window : nullptr, &verifier);
  std::optional<serve::FetchDriver> fetches;
  if (settings.git_fetch_enabled) {
    fetches.emplace(fetch_options(settings, own), host).open();
    window.look_into(*fetches);
    serve::add_fetch_metrics(service.registry(), *fetches);
  }
  host.open(service.relay().ingest());
  service.relay().set_git(&git);
  verifier.open(fetches ? &*fetches : nullptr);
  std::optional<serve::SyncService> sync;
  if (settings.sync_enabled) {
    sync.emplace(sync_options(settings, service.port()), owner.keypair, store, host,
                 service.relay(), service.server());
    window.open(*sync);
    serve::add_sync_metrics(
        service.registry(), [&window] { return window.view(); },
        [&service] { return service.relay().meters().stored_directly.value(); });
    sync->open();
  }
  service.run(signals, [&, running = settings]() mutable {
    if (auto lists = reload_lists(running, read_settings))
      host.hosting().ask([&](grasp::Policy& policy) { policy.use(*std::move(lists)); });
  });
  if (sync) sync->close();
  verifier.close();
  if (fetches) fetches->close();
  service.close();
  host.close();
  return core::Done{};
}

Result<core::Done, std::string> run(const Settings& settings, const ReadSettings& read_settings) {
  const sigset_t signals = block_signals();
  raise_file_limit();
  if (auto good = expect_certificates(settings.sync_ca_file); !good) return good;
  auto owner = load_owner_key(owner_places(settings));
  if (!owner) return Failure{owner.error()};
  for (const auto& warning : owner->warnings) core::log::warn("{}", warning);
  if (owner->is_new)
    core::log::info("made a new identity, {}, kept in {}; keep a copy of it",
                    nostr::nip19::npub(owner->keypair.public_key()), owner->origin);
  auto store = open_store(settings);
  if (!store) return Failure{store.error()};
  auto where = endpoint(settings);
  if (!where) return Failure{where.error()};

  if (settings.acceptance == Acceptance::Open)
    return serve_relay(settings, *owner, **store, *where, signals);
  return serve_grasp(settings, *owner, **store, *where, signals, read_settings);
}

}  // namespace

int serve(const Settings& settings, const ReadSettings& read_settings) {
  if (settings.acceptance == Acceptance::Grasp) {
    if (auto git = expect_git(); !git) {
      core::log::error("{}", git.error());
      return kUsageError;
    }
  }
  auto ran = run(settings, read_settings);
  if (ran) return 0;
  core::log::error("{}", ran.error());
  return 1;
}

}  // namespace graspd::app
