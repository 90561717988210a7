// Proactive sync on the server's event loops: performs what the engine asks for and tells it what
// happened. Decides nothing.
//
//   R1  The engine and every connection to a peer live on one network thread, without locks.
//   R2  What arrives goes through the ingest like clients' events, with its relay attached. Known
//       ids are dropped before their signature is looked at.
//   R3  The feed is what our own relay took: repositories from the catalog, threads from the store,
//       history first.
//   R4  What is remembered of relays lies beside the events, and is written with them.
//   R5  close() says goodbye to every peer; nothing accepted is lost.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "grasp/catalog.h"
#include "net/dialer.h"
#include "net/server.h"
#include "nostr/signature.h"
#include "serve/relay/relay_server.h"
#include "sync/intake_rate.h"
#include "sync/options.h"
#include "sync/sync_report.h"

namespace graspd::serve {

class SyncLoop;

// What our own relay takes and wants, as the rest of the server tells it.
struct SyncSources {
  relay::Acceptance& acceptance;
  // The listings that changed since the last call; nothing: it is gone. At first, all there are.
  using Changed = std::vector<std::pair<grasp::Coordinate, std::optional<grasp::Listing>>>;
  std::function<Changed()> changed_listings;
  // Whom to tell, from any thread, that rejected events can be asked for again; empty: nobody, and
  // nobody is being told any more when this returns.
  using WantedAgain =
      std::function<void(const nostr::RelayUrl& relay, const std::vector<nostr::EventId>& ids)>;
  std::function<void(WantedAgain)> on_wanted_again;
};

struct SyncServiceOptions {
  sync::Options engine;
  net::DialerOptions dialer;
  bool allow_private_addresses = false;
  // Bytes that all peers together make us keep before they are decided (PeerBytes); 0: no limit. A
  // message has 5 MiB at most, so this is fifty of the largest at one time, and it is what one
  // client address may hold.
  std::size_t held_bytes_max = 256 * 1024 * 1024;
  sync::IntakeLimits intake;  // of one peer
  std::string user_agent = "graspd";
  core::Duration status_interval{1'000};
};

using SyncTraffic = sync::Traffic;  // what the edge counts, beyond the engine's own numbers
using SyncReport = sync::SyncReport;

class SyncService {
 public:
  SyncService(SyncServiceOptions options, const nostr::Keypair& identity, store::EventStore& store,
              SyncSources sources, RelayServer& relay, net::Server& server);
  ~SyncService();
  SyncService(const SyncService&) = delete;
  SyncService& operator=(const SyncService&) = delete;

  void open();   // after the relay and the host
  void close();  // before them

  // From any thread. At most `status_interval` old while something happens; never null.
  std::shared_ptr<const SyncReport> report() const;
  // From any thread: the operator wants this relay tried now. False: no such relay is followed.
  bool retry(const nostr::RelayUrl& url);

 private:
  std::shared_ptr<SyncLoop> loop_;
};

}  // namespace graspd::serve
