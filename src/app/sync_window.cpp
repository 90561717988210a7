#include "app/sync_window.h"

#include <fmt/format.h>

#include "net/clock.h"
#include "serve/sync_retry.h"
#include "web/sync_page.h"
#include "web/sync_status.h"

namespace graspd::app {
namespace {

// However this server is called from outside and from this machine.
std::vector<nostr::RelayUrl> addresses(const Settings& settings, std::uint16_t port,
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

}  // namespace

std::shared_ptr<const sync::View> SyncWindow::view() const {
  return service_ ? service_->view() : std::make_shared<const sync::View>();
}

void add_sync_pages(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                    const web::Home& home, const SyncWindow& window) {
  constexpr std::string_view kRetry = "/api/sync/retry";
  site.more_pages["/sync"] = [&window, home](const http::Request&) {
    return web::sync_page(*window.view(), home);
  };
  site.more_pages["/api/sync"] = [&window](const http::Request& request) {
    return web::sync_status(*window.view(), request);
  };
  const serve::SyncRetryOptions retry{
      site.identity.pubkey, addresses(settings, port, kRetry),
      [&window](const nostr::RelayUrl& url) { return window.retry(url); }};
  site.posts[std::string(kRetry)] = [retry](const http::Request& request) {
    return serve::retry_response(retry, request, net::now().unix_seconds);
  };
}

}  // namespace graspd::app
