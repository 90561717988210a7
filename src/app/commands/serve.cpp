#include "app/commands/serve.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/resource.h>

#include "app/config.h"
#include "app/inherited_socket.h"
#include "app/owner_key.h"
#include "app/version.h"
#include "lmdb/lmdb_store.h"
#include "metrics/process.h"
#include "nostr/nip19.h"
#include "serve/metronome.h"
#include "serve/relay_metrics.h"
#include "serve/relay_server.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

// Blocked before any thread starts, so that only wait_for_signal() gets them.
sigset_t block_stop_signals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return stop;
}

void wait_for_signal(const sigset_t& stop) {
  int signal = 0;
  sigwait(&stop, &signal);
  core::log::info("stopping on signal {}", signal);
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

// Without a sync per commit, a power cut costs at most this much.
constexpr core::Duration kFlushInterval{1'000};

std::unique_ptr<serve::Metronome> flush_now_and_then(const Settings& settings,
                                                     lmdb::LmdbStore& store) {
  if (settings.database_sync || settings.backend == Backend::Memory) return nullptr;
  return std::make_unique<serve::Metronome>(kFlushInterval, [&store] {
    if (auto flushed = store.flush(); !flushed)
      core::log::error("flushing the database failed: {}", store::describe(flushed.error()));
  });
}

Result<OwnerKey, std::string> load_owner(const Settings& settings) {
  const char* credentials = std::getenv("CREDENTIALS_DIRECTORY");
  return load_owner_key({.credentials_directory = credentials ? credentials : "",
                         .setting = settings.owner_secret,
                         .file = settings.owner_nsec_file,
                         .working_directory = std::filesystem::current_path(),
                         .relay_data_path = settings.relay_data_path});
}

Result<net::Endpoint, std::string> endpoint(const Settings& settings) {
  auto inherited = inherited_socket(settings, process_environment());
  if (!inherited) return Failure{inherited.error()};
  return net::Endpoint{settings.bind_ip.text(), settings.bind_port, *inherited};
}

serve::RelayServerOptions relay_options(const Settings& settings, metrics::Histogram durations) {
  serve::RelayServerOptions options;
  options.limits = settings.limits;
  options.clients = {settings.connections_per_ip_max, settings.events_per_minute_per_ip,
                     settings.connections_per_ip_abuse_threshold};
  options.ingest.verify_threads = verify_threads(settings);
  options.query_threads = settings.query_threads;
  options.trusted_proxies = settings.trusted_proxies;
  options.connection_ended = [durations](double seconds) { durations.observe(seconds); };
  return options;
}

metrics::Histogram connection_durations(metrics::Registry& registry) {
  return registry.histogram("ngit_websocket_connection_duration_seconds",
                            "How long WebSocket connections lasted",
                            {1, 5, 15, 30, 60, 300, 900, 3600});
}

relay::Identity identity(const Settings& settings, const OwnerKey& owner, std::uint16_t port) {
  return {.name = service_name(settings, port),
          .description = settings.relay_description,
          .contact = settings.relay_contact,
          .pubkey = owner.keypair.public_key(),
          .version = std::string(kVersion),
          .at_root = settings.base_path == "/"};
}

serve::SiteOptions site_options(const Settings& settings, const OwnerKey& owner, std::uint16_t port,
                                metrics::Registry& registry) {
  serve::SiteOptions site;
  site.mount = *http::BasePath::parse(settings.base_path);
  site.relay_url = service_url(settings, port).text();
  site.identity = identity(settings, owner, port);
  site.limits = settings.limits;
  if (settings.metrics_enabled) site.metrics = [&registry] { return registry.render(); };
  return site;
}

Result<core::Done, std::string> run(const Settings& settings) {
  sigset_t stop = block_stop_signals();
  raise_file_limit();
  auto owner = load_owner(settings);
  if (!owner) return Failure{owner.error()};
  for (const auto& warning : owner->warnings) core::log::warn("{}", warning);
  if (owner->is_new)
    core::log::info("made a new identity, {}, kept in {}; keep a copy of it",
                    nostr::nip19::npub(owner->keypair.public_key()), owner->origin);
  auto store = open_store(settings);
  if (!store) return Failure{store.error()};
  auto where = endpoint(settings);
  if (!where) return Failure{where.error()};

  metrics::Registry registry;
  relay::OpenAcceptance acceptance;
  serve::RelayServer relay(relay_options(settings, connection_durations(registry)), **store,
                           acceptance);
  metrics::add_process_metrics(registry);
  serve::add_build_metrics(registry, kVersion);
  serve::add_relay_metrics(registry, relay);

  auto server = net::listen(*where, settings.server, relay);
  if (!server) return Failure{server.error()};
  std::uint16_t port = (*server)->port();
  nostr::RelayUrl self = service_url(settings, port);
  relay.open(**server, self, site_options(settings, *owner, port, registry));
  (*server)->start();
  core::log::info("graspd {} serves {} on {}", kVersion, self.text(), bind_address(settings, port));

  auto flusher = flush_now_and_then(settings, **store);
  wait_for_signal(stop);
  relay.close();
  (*server)->stop(settings.shutdown_drain);
  core::log::info("stopped");
  return core::Done{};
}

}  // namespace

int serve(const Settings& settings) {
  auto ran = run(settings);
  if (ran) return 0;
  core::log::error("{}", ran.error());
  return 1;
}

}  // namespace graspd::app
