#include "app/server/sync_window.h"

#include <fmt/format.h>

#include "net/clock.h"
#include "serve/sync/sync_retry.h"
#include "web/sync_page.h"
#include "web/sync_status.h"

namespace graspd::app {
namespace {

constexpr core::Duration kFreshFor{1'000};
constexpr std::size_t kFetchesShown = 50;

std::optional<sync::GitStatus> git_status(const serve::Verifier& verifier,
                                          const std::string& repository) {
  const auto address = nostr::Address::parse(repository);
  const auto report = address ? grasp::Coordinate::from_address(*address) : std::nullopt;
  const auto health = report ? verifier.health(*report) : std::nullopt;
  if (!health) return std::nullopt;
  sync::GitStatus status{.synced_at = health->synced_at,
                         .verified_at = health->verified_at,
                         .behind = health->behind,
                         .problem = health->problem};
  if (const auto& peer = health->compared) {
    status.compared_at = peer->at;
    status.compared_with = peer->url;
    status.difference = peer->difference;
  }
  return status;
}

}  // namespace

std::vector<nostr::RelayUrl> own_addresses(const Settings& settings, std::uint16_t port,
                                           std::string_view below) {
  const std::string mount = settings.base_path == "/" ? "" : settings.base_path;
  std::vector<nostr::RelayUrl> urls;
  for (const std::string& host :
       {service_domain(settings, port), bind_address(settings, port),
        fmt::format("127.0.0.1:{}", port), fmt::format("[::1]:{}", port)}) {
    const auto url = nostr::RelayUrl::parse(fmt::format("ws://{}{}{}", host, mount, below));
    if (url) urls.push_back(*url);
  }
  return urls;
}

std::shared_ptr<const sync::SyncReport> SyncWindow::report() const {
  if (!service_) return std::make_shared<const sync::SyncReport>();
  auto plain = service_->report();
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  if (shown_ && plain == plain_ && now.instant < made_at_ + kFreshFor) return shown_;
  auto whole = std::make_shared<sync::SyncReport>(*plain);
  whole->taken_at = now.unix_seconds;
  for (sync::RepoStatus& repo : whole->status.repos) repo.git = git_status(verifier_, repo.address);
  if (fetches_) whole->fetches = fetches_->plan().fetches(kFetchesShown);
  whole->trouble = disk_.trouble().value_or("");
  plain_ = std::move(plain);
  shown_ = std::move(whole);
  made_at_ = now.instant;
  return shown_;
}

std::vector<sync::FetchStatus> SyncWindow::fetches_of(const grasp::Coordinate& report) const {
  return fetches_ ? fetches_->plan().fetches_of(report) : std::vector<sync::FetchStatus>();
}

void add_sync_pages(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                    const web::Home& home, const SyncWindow& window) {
  constexpr std::string_view kRetry = "/api/sync/retry";
  site.more_pages["/sync"] = [&window, home](const http::Request&) {
    return web::sync_page(*window.report(), home);
  };
  site.more_pages["/api/sync"] = [&window](const http::Request& request) {
    return web::sync_status(*window.report(), request);
  };
  const serve::SyncRetryOptions retry{
      site.identity.pubkey, own_addresses(settings, port, kRetry),
      [&window](const nostr::RelayUrl& url) { return window.retry(url); }};
  site.posts[std::string(kRetry)] = [retry](const http::Request& request) {
    return serve::retry_response(retry, request, net::now().unix_seconds);
  };
}

}  // namespace graspd::app
