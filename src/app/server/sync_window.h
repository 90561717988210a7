// What the site shows of sync. The site is made before sync is, and asks while it runs.
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
  // All before anybody asks.
  void open(serve::SyncService& service) { service_ = &service; }
  void look_into(const serve::Verifier& verifier) { verifier_ = &verifier; }
  void look_into(const serve::FetchDriver& fetches) { fetches_ = &fetches; }
  void look_into(const serve::DiskWatch& disk) { disk_ = &disk; }

  // At most a second old. Before it is open: nothing is known yet.
  std::shared_ptr<const sync::SyncReport> view() const;
  std::vector<sync::FetchStatus> fetches_of(const grasp::Coordinate& view) const;
  bool retry(const nostr::RelayUrl& url) const { return service_ && service_->retry(url); }

 private:
  serve::SyncService* service_ = nullptr;
  const serve::Verifier* verifier_ = nullptr;
  const serve::FetchDriver* fetches_ = nullptr;
  const serve::DiskWatch* disk_ = nullptr;

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
