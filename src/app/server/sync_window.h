// What the site shows of sync: the engine's report, with what others know of git data and the disk.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "app/config/settings.h"
#include "serve/fetch/fetch_driver.h"
#include "serve/fetch/verifier.h"
#include "serve/runtime/disk_watch.h"
#include "serve/site/site.h"
#include "serve/sync/sync_service.h"
#include "web/home.h"

namespace graspd::app {

class SyncWindow {
 public:
  // Empty: there is no sync, nothing is fetched. They are looked at when somebody asks.
  SyncWindow(std::optional<serve::SyncService>& service,
             const std::optional<serve::FetchDriver>& fetches, const serve::Verifier& verifier,
             const serve::DiskWatch& disk)
      : service_(service), fetches_(fetches), verifier_(verifier), disk_(disk) {}

  // At most a second old.
  std::shared_ptr<const sync::SyncReport> report() const;
  std::vector<sync::FetchStatus> fetches_of(const grasp::Coordinate& report) const;
  bool retry(const nostr::RelayUrl& url) const { return service_ && service_->retry(url); }

 private:
  std::optional<serve::SyncService>& service_;
  const std::optional<serve::FetchDriver>& fetches_;
  const serve::Verifier& verifier_;
  const serve::DiskWatch& disk_;

  // What was shown last: pages are asked for more often than anybody reads them.
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const sync::SyncReport> plain_, shown_;
  mutable core::Instant made_at_;
};

// However this server is called from outside and from this machine.
std::vector<nostr::RelayUrl> own_addresses(const Settings& settings, std::uint16_t port,
                                           std::string_view below);

// /sync, /api/sync and /api/sync/retry. The window lives longer than the site.
void add_sync_pages(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                    const web::Home& home, const SyncWindow& window);

}  // namespace graspd::app
