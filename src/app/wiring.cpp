#include "app/wiring.h"

#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "app/version.h"
#include "core/log.h"
#include "web/icon.h"
#include "web/repository_page.h"
#include "web/start_page.h"

namespace graspd::app {
namespace {

core::UnixSeconds seconds(core::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

grasp::AccessList list(std::string_view name, grasp::AccessList::Parsed parsed) {
  for (const std::string& warning : parsed.warnings) core::log::warn("NGIT_{}: {}", name, warning);
  return std::move(parsed.list);
}

// Nothing survives a memory backend: its repositories do not either, unless a place is named.
std::filesystem::path git_root(const Settings& settings) {
  namespace fs = std::filesystem;
  const bool temporary =
      settings.backend == Backend::Memory && settings.git_data_path == kDefaultGitDataPath;
  if (!temporary) return fs::absolute(settings.git_data_path).lexically_normal();
  return fs::temp_directory_path() / fmt::format("graspd-git-{}", ::getpid());
}

std::string curation(const Settings& settings) {
  if (settings.repository_whitelist.empty()) return {};
  return "Accepts only whitelisted repositories and maintainers that list this service";
}

web::Home home(const Settings& settings, std::uint16_t port) {
  return {service_url(settings, port), *http::BasePath::parse(settings.base_path)};
}

}  // namespace

serve::RelayServerOptions relay_options(const Settings& settings, metrics::Histogram durations) {
  serve::RelayServerOptions options;
  options.limits = settings.limits;
  options.clients = {settings.connections_per_ip_max, settings.events_per_minute_per_ip,
                     settings.connections_per_ip_abuse_threshold};
  options.ingest.verify_threads = verify_threads(settings);
  options.query_threads = settings.query_threads;
  options.trusted_proxies = settings.trusted_proxies;
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
  card.acceptance_criteria =
      settings.repository_whitelist.empty() ? "None" : "Whitelisted repositories only";
  card.curation = curation(settings);
  return card;
}

serve::SiteOptions site_options(const Settings& settings, const OwnerKey& owner, std::uint16_t port,
                                metrics::Registry& registry, HostedFn hosted) {
  serve::SiteOptions site;
  site.mount = *http::BasePath::parse(settings.base_path);
  site.identity = identity(settings, owner, port);
  site.limits = settings.limits;
  site.icon = web::icon();
  site.start_page = [card = site.identity, at = home(settings, port), hosted = std::move(hosted)] {
    return hosted ? web::start_page(card, at, hosted()) : web::start_page(card, at);
  };
  if (settings.metrics_enabled) site.metrics = [&registry] { return registry.render(); };
  return site;
}

HostedFn hosted_by(serve::GraspHost& host) {
  return [&host] {
    return host.hosting().ask(
        [](const grasp::Policy& policy) { return web::hosted(policy.catalog()); });
  };
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
  options.hosting.free_bytes_min = settings.free_bytes_min;

  auto& policy = options.policy;
  policy.service = *std::move(service);
  policy.relay = service_url(settings, port);
  policy.operator_key = owner.keypair.public_key();
  if (settings.maintainership == Maintainership::Reciprocal)
    policy.membership = grasp::Membership::Reciprocal;
  policy.repository_whitelist =
      list("REPOSITORY_WHITELIST", grasp::AccessList::parse(settings.repository_whitelist));
  policy.repository_blacklist =
      list("REPOSITORY_BLACKLIST", grasp::AccessList::parse(settings.repository_blacklist));
  policy.event_blacklist =
      list("EVENT_BLACKLIST", grasp::AccessList::parse_authors(settings.event_blacklist));
  policy.purgatory.patience = seconds(settings.purgatory_patience);
  policy.purgatory.upload_patience = seconds(settings.upload_patience);
  policy.removal_grace = seconds(settings.removal_grace);
  if (settings.test) options.sweep_interval = core::Duration(200);
  return options;
}

serve::GitServerOptions git_options(const Settings& settings, std::uint16_t port) {
  serve::GitServerOptions options;
  options.mount = *http::BasePath::parse(settings.base_path);
  options.slots = {settings.git_processes_max, settings.git_processes_per_ip_max,
                   settings.git_patience};
  options.trusted_proxies = settings.trusted_proxies;
  options.page = [at = home(settings, port)](const auto& card, std::string_view path) {
    return card ? web::repository_page(*card, at) : web::missing_repository_page(path, at);
  };
  return options;
}

}  // namespace graspd::app
