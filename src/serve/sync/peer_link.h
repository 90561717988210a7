// One connection to a peer: carries messages between its socket and the engine, and keeps what the
// engine does not need: filters, challenges, reconcilers. It decides nothing.
//
//   R1  Everything runs on the sync thread; only reconciliation work goes to a worker.
//   R2  A peer with too many undecided events is not read from.
//   R3  The socket finds out whether the peer is alive: it pings, and closes when nothing answers.
//   R4  A peer that sends too many malformed messages is dropped.
//   R5  The memory that a peer uses counts toward the limit of all peers (PeerBytes) until it is
//       dropped.
//   R6  A peer that exceeds its rate limit is read slowly (IntakeRate), however often it
//       reconnects. The engine is told of every pause (ReadingPaused).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/dialer.h"
#include "net/server.h"
#include "net/signal.h"
#include "nostr/json.h"
#include "nostr/signature.h"
#include "serve/runtime/workers.h"
#include "serve/sync/peer_bytes.h"
#include "serve/sync/sync_intake.h"
#include "serve/sync/sync_inventory.h"
#include "sync/intake_rate.h"
#include "sync/sync_report.h"

namespace graspd::serve {

// What all connections to peers share.
struct SyncContext {
  net::Server& server;
  std::size_t thread;
  Workers& workers;
  SyncIntake& intake;
  const SyncInventory& inventory;
  const nostr::Keypair& identity;
  nostr::JsonReader& reader;
  std::function<void(sync::Input)> tell;
  PeerBytes& held;
  std::function<void()> check_held;  // some peer holds more than before
};

class PeerLink : public std::enable_shared_from_this<PeerLink> {
 public:
  PeerLink(SyncContext& context, sync::RelayId relay, sync::Session session,
           const nostr::RelayUrl& url, std::shared_ptr<sync::IntakeRate> rate);

  // Dials, tells how that went, and reads until the connection ends.
  static net::Task<void> run(std::shared_ptr<PeerLink> self, net::Dialer* dialer,
                             net::DialOptions options);
  void leave(const std::string& why);  // also while it is being dialled
  void drop(const std::string& why);   // the same, and it is the peer's fault

  void subscribe(const sync::Subscribe& action);
  void unsubscribe(sync::Sub sub);
  void open_reconciliation(const sync::NegOpen& action);
  void continue_reconciliation(sync::Sub sub);
  void close_reconciliation(sync::Sub sub);
  void authenticate();
  void judged(std::size_t bytes);  // an event of this peer is off the way

  sync::Session session() const { return session_; }
  const nostr::RelayUrl& url() const { return *url_; }
  net::WireBytes bytes() const { return socket_ ? socket_->wire_bytes() : net::WireBytes{}; }

 private:
  struct Reconciliation;

  static net::Task<void> dial(std::shared_ptr<PeerLink> self, net::Dialer* dialer,
                              net::DialOptions options);
  static net::Task<void> read(std::shared_ptr<PeerLink> self);
  static net::Task<void> until_left(std::shared_ptr<PeerLink> self);
  void dial_failed(const net::DialError& error);

  void hear(const net::Message& message);
  void hear(nostr::relay_said::Matching& said);
  void hear(nostr::relay_said::Ok& said);
  void hear(nostr::relay_said::EndOfStored& said);
  void hear(nostr::relay_said::Closed& said);
  void hear(nostr::relay_said::Notice& said);
  void hear(nostr::relay_said::Challenge& said);
  void hear(nostr::relay_said::NegMessage& said);
  void hear(nostr::relay_said::NegError& said);
  void hear(nostr::relay_said::Unknown& said);
  void heard_nonsense(const std::string& why);
  void heard_stray();  // an event of no subscription that is open

  void say(const std::string& text);
  void opened(sync::Sub sub, std::shared_ptr<Reconciliation> reconciliation,
              SyncInventory::Set set);
  void stepped(sync::Sub sub, sync::Input input);
  void refused(sync::Sub sub, std::string text, std::optional<std::uint64_t> cap);
  template <class Work>
  void on_worker(Work work);
  static net::Task<void> hold_back(std::shared_ptr<PeerLink> self);
  bool must_wait() const;
  void holds(std::size_t message_bytes);
  void count_held();

  SyncContext& context_;
  const sync::RelayId relay_;
  const sync::Session session_;
  const std::shared_ptr<const nostr::RelayUrl> url_;
  const std::shared_ptr<sync::IntakeRate> rate_;
  std::shared_ptr<net::WebSocket> socket_;
  std::map<sync::Sub, sync::Filters> subscriptions_;
  std::map<sync::Sub, std::shared_ptr<Reconciliation>> reconciliations_;
  std::string challenge_;
  std::optional<nostr::EventId> answer_;  // to the challenge, on the way
  bool challenge_is_awaited_ = false;     // some refuse first and ask who we are then
  std::size_t undecided_ = 0, undecided_bytes_ = 0;
  std::size_t message_bytes_ = 0;  // of the message that is being read
  net::Signal calm_, leave_;
  bool left_ = false, at_fault_ = false, held_back_ = false;
  std::string why_left_;
  std::size_t nonsense_ = 0, strays_ = 0;
};

inline void add(sync::Traffic& traffic, const PeerLink& link) {
  traffic.bytes_in += link.bytes().in;
  traffic.bytes_out += link.bytes().out;
}

}  // namespace graspd::serve
