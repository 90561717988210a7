#include "app/server/wiring.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <unistd.h>

#include "app/base/version.h"
#include "app/config/setting_archive.h"
#include "app/server/machine_memory.h"
#include "metrics/shared_text.h"
#include "net/clock.h"
#include "net/system_lookup.h"
#include "web/icon.h"
#include "web/repository_page.h"
#include "web/start_page.h"
#include "web/sync_summary.h"

namespace graspd::app {
namespace {

core::UnixSeconds seconds(core::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

std::size_t or_no_limit(std::size_t value) {
  return value > 0 ? value : std::numeric_limits<std::size_t>::max();
}

// Nothing survives a memory backend: its repositories do not either, unless a place is named.
std::filesystem::path git_root(const Settings& settings) {
  namespace fs = std::filesystem;
  const bool temporary =
      settings.backend == Backend::Memory && settings.git_data_path == kDefaultGitDataPath;
  if (!temporary) return fs::absolute(settings.git_data_path).lexically_normal();
  return fs::temp_directory_path() / fmt::format("graspd-git-{}", ::getpid());
}

grasp::Archive archive(const Settings& settings) {
  grasp::Archive archive{.all = settings.archive_all, .read_only = is_read_only_archive(settings)};
  archive.whitelist = settings.archive_whitelist.list;
  for (const std::string& domain : settings.archive_services)
    if (auto service = grasp::Service::parse(domain)) archive.services.push_back(*service);
  return archive;
}

std::string acceptance_criteria(const Settings& settings) {
  if (is_read_only_archive(settings)) return "Archived repositories only";
  return settings.repository_whitelist.empty() ? "None" : "Whitelisted repositories only";
}

// Rendering walks all repositories and relays: scrapers share what was rendered for one of them. A
// test wants to see what it just did.
std::function<std::string()> shared_metrics(const Settings& settings, metrics::Registry& registry) {
  const core::Duration lifetime = settings.test ? core::Duration(0) : std::chrono::seconds(1);
  const auto shared = std::make_shared<metrics::SharedText>(
      [&registry] { return registry.render(); }, lifetime, [] { return net::now().instant; });
  return [shared] { return shared->text(); };
}

web::Home home(const Settings& settings, std::uint16_t port) {
  return {service_url(settings, port), *http::BasePath::parse(settings.base_path)};
}

}  // namespace

OwnerKeyPlaces owner_places(const Settings& settings) {
  const char* credentials = std::getenv("CREDENTIALS_DIRECTORY");
  return {.credentials_directory = credentials ? credentials : "",
          .setting = settings.owner_secret,
          .file = settings.owner_nsec_file,
          .working_directory = std::filesystem::current_path(),
          .relay_data_path = settings.relay_data_path};
}

std::shared_ptr<const serve::FreeDisk> free_disk(const Settings& settings) {
  std::vector<std::filesystem::path> folders;
  if (settings.acceptance == Acceptance::Grasp) folders.push_back(git_root(settings));
  if (settings.backend == Backend::Lmdb) folders.emplace_back(settings.relay_data_path);
  return std::make_shared<const serve::FreeDisk>(std::move(folders), settings.free_bytes_min);
}

std::vector<std::pair<std::filesystem::path, std::string>> folder_names(const Settings& settings) {
  return {{git_root(settings), "git"}, {settings.relay_data_path, "relay"}};
}

serve::RepositorySizesOptions size_options(const Settings& settings) {
  serve::RepositorySizesOptions options{git_root(settings), settings.metrics_top_repositories};
  if (settings.test) options.interval = core::Duration(200);
  return options;
}

serve::RelayServerOptions relay_options(const Settings& settings, const OwnerKey& owner,
                                        std::uint16_t port, metrics::Histogram durations) {
  serve::RelayServerOptions options{.self = service_url(settings, port),
                                    .owner = owner.keypair.public_key()};
  options.limits = settings.limits;
  options.clients = {settings.connections_per_ip_max, settings.events_per_minute_per_ip,
                     settings.connections_per_ip_abuse_threshold, settings.held_bytes_per_ip_max,
                     settings.held_bytes_max};
  options.ingest.verify_threads = verify_threads(settings);
  options.ingest.limits = settings.limits;
  options.ingest.disk = free_disk(settings);
  options.query_threads = settings.query_threads;
  options.connection_ended = [durations](double lasted) { durations.observe(lasted); };
  return options;
}

relay::Identity identity(const Settings& settings, const OwnerKey& owner, std::uint16_t port) {
  relay::Identity card{.name = service_name(settings, port),
                       .description = settings.relay_description,
                       .contact = settings.relay_contact,
                       .pubkey = owner.keypair.public_key(),
                       .version = std::string(kVersion),
                       .at_root = settings.base_path == "/",
                       .icon = home(settings, port).url("/icon.png")};
  if (settings.acceptance == Acceptance::Open) return card;
  card.restricted_writes = true;
  card.grasps = {"GRASP-01"};
  if (is_archive(settings)) card.grasps.push_back("GRASP-05");
  if (settings.sync_enabled) card.grasps.push_back("GRASP-02");
  if (settings.pr_repositories_enabled) card.grasps.push_back("GRASP-06");
  card.acceptance_criteria = acceptance_criteria(settings);
  card.curation = curation(settings);
  return card;
}

serve::SiteOptions site_options(const Settings& settings, const OwnerKey& owner, std::uint16_t port,
                                metrics::Registry& registry, const serve::DiskWatch& disk,
                                serve::RelayServer& relay, HostedFn hosted,
                                const SyncWindow* sync) {
  serve::SiteOptions site;
  site.mount = *http::BasePath::parse(settings.base_path);
  site.identity = identity(settings, owner, port);
  site.limits = settings.limits;
  site.icon = web::icon();
  const web::Home at = home(settings, port);
  site.trouble = [&disk, &relay]() -> std::optional<std::string> {
    if (relay.ingest().storage_fails()) return "the last write to the database failed";
    return disk.trouble();
  };
  site.start_page = [card = site.identity, at, &disk, hosted = std::move(hosted), sync] {
    const std::string trouble = disk.trouble().value_or("");
    if (!hosted) return web::start_page(card, at, trouble);
    const std::string verdict = sync ? sync::summary_of(*sync->view()).state : "";
    return web::start_page(card, at, hosted(), verdict, trouble);
  };
  if (sync) add_sync_pages(site, settings, port, at, *sync);
  if (settings.metrics_enabled) site.metrics = shared_metrics(settings, registry);
  return site;
}

serve::SyncSources sync_sources(serve::GraspHost& host) {
  const auto changed = [&host] {
    const auto coordinates = host.hosting().policy.take_changed_listings();
    const auto known = host.hosting().known();
    serve::SyncSources::Changed listings;
    for (const grasp::Coordinate& coordinate : coordinates) {
      const grasp::Listing* listing = known->catalog().find(coordinate);
      listings.emplace_back(coordinate, listing ? std::optional(*listing) : std::nullopt);
    }
    return listings;
  };
  return {host, changed,
          [&host](serve::SyncSources::WantedAgain tell) { host.on_wanted_again(std::move(tell)); }};
}

HostedFn hosted_by(serve::GraspHost& host) {
  return [&host] { return web::hosted(host.hosting().known()->catalog()); };
}

core::Result<serve::GraspHostOptions, std::string> host_options(const Settings& settings,
                                                                const OwnerKey& owner,
                                                                std::uint16_t port) {
  const std::string domain = service_domain(settings, port);
  auto service = grasp::Service::parse(domain, settings.base_path);
  if (!service)
    return core::Failure{fmt::format("NGIT_DOMAIN ({}) is not a host name or address", domain)};
  service->clone_path_must_name_repository = settings.clone_path_must_name_repository;

  serve::GraspHostOptions options;
  options.hosting.root = git_root(settings);
  options.hosting.unborn_branch = *git::RefName::parse("refs/heads/" + settings.unborn_branch);
  options.hosting.receive.pack_bytes_max = settings.pack_bytes_max;
  options.hosting.repository_bytes_max = settings.repository_bytes_max;
  options.hosting.disk = free_disk(settings);
  options.hosting.pull_refs_max = settings.strangers.pull_refs_max;
  options.hosting.pull_quota_percent = settings.strangers.pull_quota_percent;
  options.git_process = settings.git_process;
  options.hosting.read_only = is_read_only_archive(settings);
  options.hosting.pr_repositories = {settings.pr_repository_bytes_max,
                                     settings.all_pr_repository_bytes_max};

  auto& policy = options.policy;
  policy.service = *std::move(service);
  policy.relay = service_url(settings, port);
  policy.operator_key = owner.keypair.public_key();
  if (settings.maintainership == Maintainership::Reciprocal)
    policy.membership = grasp::Membership::Reciprocal;
  policy.archive = archive(settings);
  policy.pr_repositories = settings.pr_repositories_enabled;
  policy.repository_whitelist = settings.repository_whitelist.list;
  policy.repository_blacklist = settings.repository_blacklist.list;
  policy.event_blacklist = settings.event_blacklist.list;
  policy.purgatory.patience = seconds(settings.purgatory_patience);
  policy.purgatory.upload_patience = seconds(settings.upload_patience);
  policy.purgatory.announcements_max = settings.strangers.waiting_announcements_max;
  policy.purgatory.announcements_per_address_max =
      settings.strangers.waiting_announcements_per_ip_max;
  policy.purgatory.announcements_per_relay_max =
      settings.strangers.waiting_announcements_per_relay_max;
  policy.new_repositories_per_relay = settings.sync_new_repositories_per_relay;
  policy.trusted_relays = {settings.sync_bootstrap.begin(), settings.sync_bootstrap.end()};
  policy.removal_grace = seconds(settings.removal_grace);
  policy.created_at_ahead = settings.limits.created_at_ahead_seconds;
  policy.listed_max = or_no_limit(settings.maintainers_per_announcement_max);
  policy.stranger_requests.bytes_max = settings.stranger_request_bytes_max;
  policy.stranger_requests.bytes_per_key = settings.stranger_request_bytes_per_key_max;
  policy.stranger_lists.bytes_max = settings.stranger_list_bytes_max;
  options.stranger_ephemerals_per_minute = settings.stranger_ephemerals_per_minute;
  policy.members_max = or_no_limit(settings.repository_members_max);
  policy.rejected.memory = seconds(settings.rejected_cold);
  policy.rejected_whole = seconds(settings.rejected_hot);
  if (settings.test) options.sweep_interval = core::Duration(200);
  if (settings.test) options.maintenance_interval = std::chrono::seconds(2);
  return options;
}

namespace {

// Both schemes, since a proxy decides which of them is spoken outside.
std::vector<nostr::RelayUrl> own_urls(const Settings& settings, std::uint16_t port) {
  std::vector<nostr::RelayUrl> urls;
  for (const std::string& host : {service_domain(settings, port), bind_address(settings, port)}) {
    for (const char* scheme : {"ws", "wss"}) {
      const std::string path = settings.base_path == "/" ? "" : settings.base_path;
      const auto url = nostr::RelayUrl::parse(fmt::format("{}://{}{}", scheme, host, path));
      if (url) urls.push_back(*url);
    }
  }
  return urls;
}

// A test suite waits for everything that an operator never sees.
void hurry(sync::Options& options, const Settings& settings) {
  using namespace std::chrono_literals;
  const Settings usual;
  if (settings.sync_batch_window_ms == usual.sync_batch_window_ms) options.batch_window = 200ms;
  if (settings.sync_backoff_base == usual.sync_backoff_base) options.backoff_base = 1s;
  if (settings.sync_backoff_max == usual.sync_backoff_max) options.backoff_max = 5s;
  options.dead_after = 5min;
  options.dead_retry = 1min;
  options.stable_after = 5s;
  options.rate_pause = 2s;
  options.rate_pause_max = 10s;
  options.policy_pause = 1min;
  options.linger = 5s;
  options.first_frame_max = 10s;
  options.progress_max = 5s;
  options.negentropy_silence_max = 5s;
  options.rotation_min = 2s;
  options.lost_retry = 1s;
  options.lost_retry_max = 10s;
}

}  // namespace

serve::SyncServiceOptions sync_options(const Settings& settings, std::uint16_t port) {
  serve::SyncServiceOptions options;
  sync::Options& engine = options.engine;
  engine.bootstrap = settings.sync_bootstrap;
  engine.own_urls = own_urls(settings, port);
  engine.negentropy = !settings.sync_without_negentropy;
  engine.places = settings.sync_places;
  engine.values_per_filter = settings.sync_values_per_filter;
  engine.consolidate_at = settings.sync_consolidate_at;
  engine.batch_window = core::Duration(settings.sync_batch_window_ms);
  engine.backoff_base = settings.sync_backoff_base;
  engine.backoff_max = settings.sync_backoff_max;
  if (settings.test) hurry(engine, settings);
  options.allow_private_addresses = settings.sync_non_global_targets;
  options.held_bytes_max = settings.sync_held_bytes_max;
  options.intake = settings.sync_intake;
  options.user_agent = fmt::format("graspd/{}", kVersion);
  options.dialer.extra_ca_file = settings.sync_ca_file;
  options.dialer.error_lifetime = std::chrono::minutes(settings.test ? 0 : 10);
  if (settings.test) options.status_interval = core::Duration(100);
  return options;
}

namespace {

void hurry(git::fetch::Options& options, const Settings& settings) {
  using namespace std::chrono_literals;
  const Settings usual;
  if (settings.git_fetch_per_domain_per_minute == usual.git_fetch_per_domain_per_minute)
    options.domain_commands_per_minute = 0;
  options.push_not_expected = 50ms;
  options.second_source_after = 2s;
  options.backoff_base = 500ms;
  options.backoff_max = 2s;
  options.rate_pause = 1s;
  options.site_pause = 200ms;
  options.site_pause_max = 1s;
  options.url_pause = 200ms;
  options.late_patience = 2s;
}

}  // namespace

serve::FetchDriverOptions fetch_options(const Settings& settings, const grasp::Service& own) {
  serve::FetchDriverOptions options;
  options.own = own;
  options.scheduler.concurrency = settings.git_fetch_concurrency;
  if (options.scheduler.concurrency == 0)
    options.scheduler.concurrency = 2 * std::max(1U, std::thread::hardware_concurrency());
  options.scheduler.domain_concurrency = settings.git_fetch_per_domain;
  options.scheduler.domain_commands_per_minute = settings.git_fetch_per_domain_per_minute;
  options.scheduler.push_expected = settings.git_fetch_delay;
  if (is_read_only_archive(settings))
    options.scheduler.push_expected = options.scheduler.push_not_expected;
  constexpr std::size_t kYear = 366 * 24;
  options.scheduler.aside_for = std::chrono::hours(std::min(settings.naughty_hours, kYear));
  options.fetch.pack_bytes_max = settings.git_fetch_bytes_max;
  options.fetch.allow_private_addresses = settings.sync_non_global_targets;
  options.fetch.lookup = net::system_lookup;
  options.fetch.extra_ca_file = settings.sync_ca_file;
  const gitio::RemoteOptions& remote = options.fetch;
  static_cast<gitio::RemoteOptions&>(options.read) = remote;
  if (settings.test) {
    hurry(options.scheduler, settings);
    options.tick = core::Duration(500);
  }
  return options;
}

serve::VerifierOptions verifier_options(const Settings& settings, const grasp::Service& own) {
  serve::VerifierOptions options;
  options.own = own;
  options.plan.looks = settings.verify_interval != kNever;
  options.plan.interval = options.plan.looks ? settings.verify_interval : options.plan.interval;
  options.plan.broken_interval = std::min(options.plan.broken_interval, options.plan.interval);
  options.plan.compares = options.plan.looks && settings.git_fetch_enabled;
  options.read = fetch_options(settings, own).read;
  if (settings.test) {
    options.plan.comparison_pause = core::Duration(0);
    options.plan.share = 0;
    options.check_interval = core::Duration(500);
  }
  return options;
}

serve::GitServerOptions git_options(const Settings& settings, std::uint16_t port,
                                    serve::Verifier& verifier, const SyncWindow& window) {
  serve::GitServerOptions options;
  options.mount = *http::BasePath::parse(settings.base_path);
  options.slots = {settings.git_processes_max, settings.git_processes_per_ip_max,
                   settings.git_patience};
  // Half of what there is: the rest is for us, the database and the files that everybody reads.
  options.memory = {settings.git_process.memory_bytes_max, settings.git_memory_max};
  if (options.memory.budget == 0) options.memory.budget = machine_memory() / 2;
  options.slots.memory_max = options.memory.budget;
  options.rate_min = {settings.git_rate_min, settings.git_stall_max};
  options.trusted_proxies = settings.trusted_proxies;
  options.pr_repositories = settings.pr_repositories_enabled;
  options.page = [at = home(settings, port), &window](const auto& card, std::string_view path) {
    if (!card) return web::missing_repository_page(path, at);
    return web::repository_page(*card, at, window.fetches_of(card->announcement.coordinate));
  };
  options.inspector = &verifier;
  return options;
}

}  // namespace graspd::app
