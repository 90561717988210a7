#include "app/server/serve.h"

#include <csignal>
#include <functional>
#include <sys/resource.h>

#include "app/base/exit_code.h"
#include "app/base/owner_key.h"
#include "app/base/terminals.h"
#include "app/base/version.h"
#include "app/config/config.h"
#include "app/config/setting_private.h"
#include "app/server/inherited_socket.h"
#include "app/server/start_checks.h"
#include "app/server/test_options.h"
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
#include "serve/relay/relay_metrics.h"
#include "serve/relay/relay_server.h"
#include "serve/runtime/disk_watch.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/site/http_front.h"
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
  options.obeys_requests = !settings.host.policy.ignores_requests;
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

// What both modes stand on: the bound socket, the store, the numbers, the watch over the disk.
struct Base {
  Base(const Settings& with_settings, const OwnerKey& with_owner, lmdb::LmdbStore& with_store,
       net::Server& with_network)
      : settings(with_settings), owner(with_owner), store(with_store), network(with_network) {
    if (settings.private_service.is_on) private_service.emplace(settings, owner, network.port());
    metrics::add_process_metrics(registry);
    metrics::add_cgroup_metrics(registry);
    serve::add_build_metrics(registry, kVersion);
    serve::add_disk_metrics(registry, free_disk(settings), folder_names(settings));
    registry.read_gauge("ngit_database_bytes", "What the event database takes on disk",
                        [this] { return static_cast<double>(store.used_bytes()); });
  }

  const Settings& settings;
  const OwnerKey& owner;
  lmdb::LmdbStore& store;
  net::Server& network;
  MemberService* members() { return private_service ? &*private_service : nullptr; }

  std::optional<MemberService> private_service;
  metrics::Registry registry;
  serve::DiskWatch disk{free_disk(settings)};
  serve::PeriodicTimer disk_looks{kDiskLookInterval, [this] { disk.look(); }};
};

// The relay and the HTTP front before it; the network is told to stop before they go.
class Front {
 public:
  Front(Base& base, serve::RelayServer& relay, serve::SiteOptions site, serve::GitServer* git)
      : base_(base),
        relay_(relay),
        front_(base.settings.trusted_proxies, std::move(site), relay, git) {}

  // Serves until the signal to stop comes.
  void run(const sigset_t& signals, const OnHangup& on_hangup) {
    const std::uint16_t port = base_.network.port();
    base_.network.start(front_);
    core::log::info("graspd {} serves {} on {}", kVersion, service_url(base_.settings, port).text(),
                    bind_address(base_.settings, port));
    auto flusher = flush_now_and_then(base_.settings, base_.store);
    wait_for_stop(signals, on_hangup);
  }
  // Nothing undecided is left behind.
  void close() {
    front_.close();
    relay_.close();
    base_.network.stop(base_.settings.shutdown_drain);
    core::log::info("stopped");
  }

 private:
  Base& base_;
  serve::RelayServer& relay_;
  serve::HttpFront front_;
};

serve::RelayServerOptions relay_options(Base& base) {
  return relay_options(base.settings, base.owner, base.network.port(),
                       connection_durations(base.registry), base.members());
}

void serve_relay(Base& base, const sigset_t& signals) {
  relay::OpenAcceptance acceptance;
  serve::RelayServer relay(relay_options(base), base.store, acceptance, base.network);
  serve::add_relay_metrics(base.registry, relay);
  Front front(base, relay,
              site_options(base.settings, base.owner, base.network.port(), base.registry, base.disk,
                           relay, {}, nullptr),
              nullptr);
  front.run(signals, [] {
    core::log::info("SIGHUP: NGIT_ACCEPT=open uses no lists that could be read again");
  });
  front.close();
}

// Everything around a host that has read what is kept.
class HostService {
 public:
  HostService(Base& base, serve::GraspHost& host, const grasp::Service& own)
      : base_(base),
        host_(host),
        relay_(relay_options(base), base.store, host, base.network),
        verifier_(verifier_options(base.settings, own, base.members()), host),
        git_(git_options(base.settings, base.network.port(), verifier_, window_, base.members()),
             host, base.network) {
    if (base.settings.git_fetch_enabled)
      fetches_.emplace(fetch_options(base.settings, own, base.members()), host);
    if (base.settings.sync_enabled)
      sync_.emplace(sync_options(base.settings, base.network.port()), base.owner.keypair,
                    base.store, sync_sources(host), relay_, base.network);
    if (base.settings.metrics_enabled) sizes_.emplace(size_options(base.settings));
    add_metrics();
    auto site = site_options(base.settings, base.owner, base.network.port(), base.registry,
                             base.disk, relay_, hosted_by(host), sync_ ? &window_ : nullptr);
    if (MemberService* const service = base.members())
      site.more_pages["/api/members"] = [service](const auto&) { return service->page(); };
    add_verify_page(site, base.settings, base.network.port(), verifier_);
    front_.emplace(base, relay_, std::move(site), &git_);
  }

  void run(const sigset_t& signals, const OnHangup& on_hangup) {
    if (fetches_) fetches_->open();
    host_.open(relay_.ingest());
    verifier_.open(fetches_ ? &*fetches_ : nullptr);
    if (sync_) sync_->open();
    follow_members();
    front_->run(signals, on_hangup);
    member_looks_.reset();
    if (base_.members()) base_.members()->members().close();
    if (sync_) sync_->close();
    verifier_.close();
    if (fetches_) fetches_->close();
    front_->close();
    host_.close();
  }

 private:
  // What a change of members means to the policy, and who is derived.
  void follow_members() {
    MemberService* const service = base_.members();
    if (!service) return;
    service->members().listen([this, service] {
      host_.hosting().change_and_wait(
          [keys = service->members().now()->all()](grasp::Policy& policy, core::UnixSeconds now,
                                                   grasp::Transition& changes) {
            policy.use_members(keys, now, changes);
          });
    });
    if (!sync_) return;
    member_looks_.emplace(base_.settings.private_service.follow_interval, [this, service] {
      service->follow(*sync_->report(), host_.hosting().known()->catalog());
    });
  }

  void add_metrics() {
    metrics::Registry& registry = base_.registry;
    serve::add_relay_metrics(registry, relay_);
    serve::add_verification_metrics(registry, verifier_);
    serve::add_git_metrics(registry, git_, host_, base_.settings.sizes.top);
    if (base_.settings.host.policy.pr_repositories)
      serve::add_pr_repository_metrics(registry, host_);
    if (sizes_) serve::add_size_metrics(registry, *sizes_);
    serve::add_rejected_metrics(registry, host_);
    if (fetches_) serve::add_fetch_metrics(registry, *fetches_);
    if (sync_)
      serve::add_sync_metrics(
          registry, [this] { return window_.report(); },
          [this] { return relay_.meters().stored_directly.value(); });
  }

  Base& base_;
  serve::GraspHost& host_;
  serve::RelayServer relay_;
  serve::Verifier verifier_;
  std::optional<serve::FetchDriver> fetches_;
  std::optional<serve::SyncService> sync_;
  SyncWindow window_{sync_, fetches_, verifier_, base_.disk};
  serve::GitServer git_;
  std::optional<serve::RepositorySizes> sizes_;
  std::optional<Front> front_;
  std::optional<serve::PeriodicTimer> member_looks_;
};

Result<core::Done, std::string> serve_grasp(Base& base, const sigset_t& signals,
                                            const ReadSettings& read_settings) {
  auto options = host_options(base.settings, base.owner, base.network.port());
  if (!options) return Failure{options.error()};
  if (auto folder = expect_git_folder(options->hosting.root); !folder) return folder;
  const grasp::Service own = options->policy.service;
  if (options->hosting.read_only)
    core::log::warn(
        "this is a read-only archive: pushes are refused; NGIT_ARCHIVE_READ_ONLY=false to host");
  serve::GraspHost host(*std::move(options), base.store);
  if (auto loaded = host.load(); !loaded) return loaded;
  HostService service(base, host, own);
  service.run(signals, [&, running = base.settings]() mutable {
    auto lists = reload_lists(running, read_settings);
    if (lists && base.members()) base.members()->members().use_named(named_members(running));
    if (lists)
      host.hosting().change_and_wait(
          [&](grasp::Policy& policy, core::UnixSeconds, const grasp::Transition&) {
            policy.use(*std::move(lists));
          });
  });
  return core::Done{};
}

Result<core::Done, std::string> run(const Settings& settings, const ReadSettings& read_settings) {
  const sigset_t signals = block_signals();
  raise_file_limit();
  if (auto good = expect_certificates(settings.sync.dialer.extra_ca_file); !good) return good;
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

  // Listen first: the port is known to everything that is built, and clients wait meanwhile.
  auto network = net::listen(*where, settings.server);
  if (!network) return Failure{network.error()};

  Base base(settings, *owner, **store, **network);
  if (settings.acceptance == Acceptance::Grasp) return serve_grasp(base, signals, read_settings);
  serve_relay(base, signals);
  return core::Done{};
}

}  // namespace

int serve(const Settings& given, const ReadSettings& read) {
  const Settings settings = with_test_options(given);
  const auto read_settings = [&read] {
    auto settings_now = read();
    if (settings_now) *settings_now = with_test_options(*std::move(settings_now));
    return settings_now;
  };
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
