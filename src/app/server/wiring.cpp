#include "app/server/wiring.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <unistd.h>

#include "app/base/version.h"
#include "app/config/setting_archive.h"
#include "app/config/setting_private.h"
#include "app/server/machine_memory.h"
#include "metrics/shared_text.h"
#include "net/clock.h"
#include "net/system_lookup.h"
#include "serve/fetch/verify_request.h"
#include "web/icon.h"
#include "web/repository_page.h"
#include "web/start_page.h"
#include "web/sync_summary.h"

namespace graspd::app {
namespace {

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
  if (settings.private_service.is_on) return "Repositories of members only";
  if (is_read_only_archive(settings)) return "Archived repositories only";
  return settings.repository_whitelist.empty() ? "None" : "Whitelisted repositories only";
}

// Rendering walks all repositories and relays: scrapers share what was rendered for one of them.
std::function<std::string()> shared_metrics(const Settings& settings, metrics::Registry& registry) {
  const auto shared = std::make_shared<metrics::SharedText>(
      [&registry] { return registry.render(); }, settings.metrics_lifetime,
      [] { return net::now().instant; });
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
  serve::RepositorySizesOptions options = settings.sizes;
  options.root = git_root(settings);
  return options;
}

serve::RelayServerOptions relay_options(const Settings& settings, const OwnerKey& owner,
                                        std::uint16_t port, metrics::Histogram durations,
                                        MemberService* members) {
  serve::RelayServerOptions options{.self = service_url(settings, port),
                                    .owner = owner.keypair.public_key()};
  options.limits = settings.limits;
  options.clients = settings.clients;
  options.ingest = settings.ingest;
  options.ingest.verify_threads = verify_threads(settings);
  options.ingest.limits = settings.limits;
  options.ingest.disk = free_disk(settings);
  options.query_threads = settings.query_threads;
  if (members) options.members = &members->members();
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
  card.obeys_requests = !settings.host.policy.ignores_requests;
  if (settings.acceptance == Acceptance::Open) return card;
  card.restricted_writes = true;
  card.grasps = {"GRASP-01"};
  if (is_archive(settings)) card.grasps.push_back("GRASP-05");
  if (settings.sync_enabled) card.grasps.push_back("GRASP-02");
  if (settings.host.policy.pr_repositories) card.grasps.push_back("GRASP-06");
  card.is_private = settings.private_service.is_on;
  if (card.is_private) card.grasps.push_back("GRASP-08");  // last, as clients expect it
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
  site.is_private = settings.private_service.is_on;
  site.status_token = settings.status_token;
  site.icon = web::icon();
  const web::Home at = home(settings, port);
  site.trouble = [&disk, &relay]() -> std::optional<std::string> {
    if (relay.ingest().storage_fails()) return "the last write to the database failed";
    return disk.trouble();
  };
  site.start_page = [card = site.identity, at, &disk, hosted = std::move(hosted), sync] {
    const std::string trouble = disk.trouble().value_or("");
    if (card.is_private) return web::private_start_page(card, at, trouble);
    if (!hosted) return web::start_page(card, at, trouble);
    const std::string verdict = sync ? sync::summary_of(*sync->report()).state : "";
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
  serve::GraspHostOptions options = settings.host;
  auto& policy = options.policy;
  service->clone_path_must_name_repository = policy.service.clone_path_must_name_repository;
  policy.service = *std::move(service);
  for (const std::string& former : settings.former_domains)
    if (auto named = grasp::Service::parse(former, settings.base_path)) {
      named->clone_path_must_name_repository = policy.service.clone_path_must_name_repository;
      policy.former_services.push_back(*std::move(named));
    }
  policy.lets_former_go = settings.lets_former_go;
  policy.relay = service_url(settings, port);
  policy.operator_key = owner.keypair.public_key();
  if (settings.private_service.is_on) {
    policy.members = named_members(settings);
    policy.members->insert(policy.operator_key);
  }
  policy.archive = archive(settings);
  policy.repository_whitelist = settings.repository_whitelist.list;
  policy.repository_blacklist = settings.repository_blacklist.list;
  policy.event_blacklist = settings.event_blacklist.list;
  const auto& bootstrap = settings.sync.engine.bootstrap;
  policy.trusted_relays = {bootstrap.begin(), bootstrap.end()};
  policy.created_at_ahead = settings.limits.created_at_ahead_seconds;
  policy.listed_max = or_no_limit(policy.listed_max);
  policy.members_max = or_no_limit(policy.members_max);

  options.hosting.root = git_root(settings);
  options.hosting.disk = free_disk(settings);
  options.hosting.read_only = policy.archive.read_only;
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

}  // namespace

serve::SyncServiceOptions sync_options(const Settings& settings, std::uint16_t port) {
  serve::SyncServiceOptions options = settings.sync;
  options.engine.own_urls = own_urls(settings, port);
  options.user_agent = fmt::format("graspd/{}", kVersion);
  if (settings.private_service.is_on)
    options.engine.peers =
        settings.private_service.syncs_with_public ? sync::Peers::All : sync::Peers::Private;
  return options;
}

serve::FetchDriverOptions fetch_options(const Settings& settings, const grasp::Service& own,
                                        const MemberService* members) {
  serve::FetchDriverOptions options = settings.fetch;
  options.own = own;
  git::fetch::Options& scheduler = options.scheduler;
  if (scheduler.concurrency == 0)
    scheduler.concurrency = 2 * std::max(1U, std::thread::hardware_concurrency());
  // Nobody can push to it.
  if (is_read_only_archive(settings)) scheduler.push_expected = scheduler.push_not_expected;
  gitio::RemoteOptions& remote = options.fetch;
  remote.allow_private_addresses = settings.sync.allow_private_addresses;
  remote.lookup = net::system_lookup;
  if (members) remote.access = [members](const git::FetchUrl& url) { return members->access(url); };
  remote.extra_ca_file = settings.sync.dialer.extra_ca_file;
  static_cast<gitio::RemoteOptions&>(options.read) = remote;
  return options;
}

serve::VerifierOptions verifier_options(const Settings& settings, const grasp::Service& own,
                                        const MemberService* members) {
  serve::VerifierOptions options = settings.verifier;
  options.own = own;
  grasp::VerificationOptions& plan = options.plan;
  plan.looks = plan.interval != kNever;
  if (!plan.looks) plan.interval = grasp::VerificationOptions().interval;
  plan.broken_interval = std::min(plan.broken_interval, plan.interval);
  plan.compares = plan.looks && settings.git_fetch_enabled;
  options.read = fetch_options(settings, own, members).read;
  return options;
}

serve::GitServerOptions git_options(const Settings& settings, std::uint16_t port,
                                    serve::Verifier& verifier, const SyncWindow& window,
                                    const MemberService* members) {
  serve::GitServerOptions options = settings.git;
  options.mount = *http::BasePath::parse(settings.base_path);
  // Half of what there is: the rest is for us, the database and the files that everybody reads.
  options.memory.process_max = settings.host.git_process.memory_bytes_max;
  if (options.memory.budget == 0) options.memory.budget = machine_memory() / 2;
  options.slots.memory_max = options.memory.budget;
  options.trusted_proxies = settings.trusted_proxies;
  options.pr_repositories = settings.host.policy.pr_repositories;
  options.page = [at = home(settings, port), &window](const auto& card, std::string_view path) {
    if (!card) return web::missing_repository_page(path, at);
    return web::repository_page(*card, at, window.fetches_of(card->announcement.coordinate));
  };
  options.inspector = &verifier;
  if (members) options.members = members->gate();
  return options;
}

void add_verify_page(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                     serve::Verifier& verifier) {
  constexpr std::string_view kPath = "/api/verify";
  constexpr std::size_t kAnswersAtOnce = 1'000;  // about a hundred kilobytes
  serve::VerifyRequestOptions options{site.identity.pubkey, own_addresses(settings, port, kPath),
                                      [&verifier](const std::optional<grasp::Coordinate>& repo) {
                                        return verifier.plan().ask(repo);
                                      },
                                      [&verifier](std::uint64_t number, std::uint64_t cursor,
                                                  const std::optional<grasp::Coordinate>& repo) {
                                        return verifier.plan().answers(number, cursor, repo,
                                                                       kAnswersAtOnce);
                                      }};
  site.posts[std::string(kPath)] = [options = std::move(options)](const http::Request& request) {
    return serve::verify_response(options, request, net::now().unix_seconds);
  };
}

}  // namespace graspd::app
