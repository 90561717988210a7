// What the site shows of sync. The site is made before sync is, and asks while it runs.
#pragma once
#include <memory>

#include "app/settings.h"
#include "serve/site.h"
#include "serve/sync_service.h"
#include "web/home.h"

namespace graspd::app {

class SyncWindow {
 public:
  void open(serve::SyncService& service) { service_ = &service; }  // before anybody asks

  // Before it is open: nothing is known yet.
  std::shared_ptr<const sync::View> view() const;
  bool retry(const nostr::RelayUrl& url) const { return service_ && service_->retry(url); }

 private:
  serve::SyncService* service_ = nullptr;
};

// /sync, /api/sync and /api/sync/retry. The window lives longer than the site.
void add_sync_pages(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                    const web::Home& home, const SyncWindow& window);

}  // namespace graspd::app
