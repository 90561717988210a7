#include "serve/sync/sync_service.h"

#include <algorithm>

#include "serve/sync/sync_loop.h"

namespace graspd::serve {

SyncService::SyncService(SyncServiceOptions options, const nostr::Keypair& identity,
                         store::EventStore& store, SyncSources sources, RelayServer& relay,
                         net::Server& server)
    : loop_(std::make_shared<SyncLoop>(std::move(options), identity, store, std::move(sources),
                                       relay, server)) {}

SyncService::~SyncService() = default;

void SyncService::open() { loop_->open(); }
void SyncService::close() { loop_->close(); }

std::shared_ptr<const SyncReport> SyncService::report() const { return loop_->report(); }

bool SyncService::retry(const nostr::RelayUrl& url) {
  const auto now = report();
  const bool is_followed =
      std::any_of(now->status.relays.begin(), now->status.relays.end(),
                  [&](const sync::RelayStatus& relay) { return relay.url == url.text(); });
  if (is_followed) loop_->post([url](SyncLoop& loop) { loop.tell(sync::RetryWanted{url}); });
  return is_followed;
}

}  // namespace graspd::serve
