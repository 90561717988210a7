// A deterministic world for one engine: simulated time, a network, relays with habits, our intake.
//
// Everything that happens is an entry in one queue ordered by (time, sequence): the same seed gives
// the same history, which the trace hash proves.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/rng.h"
#include "sim/door.h"
#include "sim/events.h"
#include "sim/peer.h"
#include "sync/engine.h"

namespace graspd::sim {

class World {
 public:
  explicit World(std::uint64_t seed, sync::Options options = {});

  Peer& add_peer(const nostr::RelayUrl& url, Habits habits = {});
  Peer& peer(const nostr::RelayUrl& url) { return *peers_.at(url); }
  const std::map<nostr::RelayUrl, std::unique_ptr<Peer>>& peers() const { return peers_; }

  void start();    // the feed's history, then its end
  void restart();  // a new process: only what was saved is left
  void publish(const nostr::RelayUrl& url, const nostr::Event& event);  // on a relay
  void accept(const nostr::Event& event);                               // directly, here
  void cut(const nostr::RelayUrl& url);                                 // the connection breaks
  // The relay ends all subscriptions.
  void close_subscriptions(const nostr::RelayUrl& url, const std::string& why);
  // We do not read from the relay for so long, if it is connected and read from; what it sends
  // comes afterwards.
  void hold_back(const nostr::RelayUrl& url, core::Duration span);
  void heal();
  void run(core::Duration span);
  // Runs until it holds, at most `limit`; whether it does.
  bool run_until(const std::function<bool()>& holds, core::Duration limit);
  void at(core::Duration after, std::function<void()> what);

  core::Now now() const;
  core::UnixSeconds unix_now() const { return now().unix_seconds; }
  bool has(const nostr::Event& event) const { return intake_.has(event.id); }
  const Intake& intake() const { return intake_; }
  sync::Engine& engine() { return *engine_; }
  sync::RelayStatus status(const nostr::RelayUrl& url) const;
  bool is_tracked(const nostr::RelayUrl& url) const { return engine_->find(url) != nullptr; }
  void feed(const sync::Input& input);

  // Everything acceptable on the relays we can find is here.
  bool is_complete() const;
  std::vector<nostr::EventId> missing() const;
  // What a relay that sync calls "in sync" has and we do not know; empty when that is true. It is
  // asked for every few minutes of every life, and the first answer is kept.
  std::string untruth() const;
  std::string first_untruth;

  std::uint64_t steps() const { return steps_; }
  std::uint64_t trace() const { return trace_; }
  std::map<nostr::RelayUrl, sync::RelayRecord> saved;
  std::vector<core::Instant> dials_of(const nostr::RelayUrl& url) const;
  std::size_t informations_read = 0;
  bool resolver_fails = false;
  bool store_fails = false;  // our own: what comes cannot be judged
  std::vector<std::string> logs;
  std::function<void(const std::string&)> tell;  // set: of all that happens, a line each

 private:
  void note(const sync::Input& input);
  void say(char mark, const std::string& text) const;
  struct Entry {
    std::function<void()> what;
  };
  void perform(const sync::ReadInformation& a);
  void perform(const sync::Dial& a);
  void perform(const sync::HangUp& a);
  void perform(const sync::Subscribe& a);
  void perform(const sync::Unsubscribe& a);
  void perform(const sync::NegOpen& a);
  void perform(const sync::NegContinue& a);
  void perform(const sync::NegClose& a);
  void perform(const sync::Authenticate& a);
  void perform(const sync::LookUp& a);
  void perform(const sync::Save& a);
  void perform(const sync::Forget& a);
  void perform(const sync::Log& a);
  void perform(const sync::WakeAt& a);
  void deliver(Peer& peer, sync::Session session, Deliveries deliveries);
  void arrive(const Delivery& delivery);
  void feed_in_session(Peer& peer, sync::Session session, const sync::Input& input);
  void drop(Peer& peer, core::Duration after);
  Peer* peer_of(sync::RelayId relay);

  core::Rng rng_;
  std::uint64_t seed_;
  sync::Options options_;
  core::Instant now_{};
  std::map<nostr::RelayUrl, std::unique_ptr<Peer>> peers_;
  std::map<sync::RelayId, nostr::RelayUrl> urls_;
  std::map<sync::Sub, sync::Filters> open_;     // the edge's own table of filters
  std::map<sync::Session, Deliveries> unread_;  // of those that are held back
  std::unique_ptr<sync::Engine> engine_;
  std::uint64_t life_ = 0;  // of the process; what was under way in an earlier one is void
  Intake intake_;
  std::map<std::pair<core::Instant, std::uint64_t>, Entry> queue_;
  std::optional<std::uint64_t> alarm_;
  std::map<nostr::RelayUrl, std::vector<core::Instant>> dials_;
  core::Instant fed_at_{};  // the last change of the index
  core::Instant untruth_asked_{};
  std::uint64_t sequence_ = 0, steps_ = 0, trace_ = 1469598103934665603ULL, alarms_ = 0;
  bool is_feeding_ = false;
  std::vector<sync::Input> backlog_;
};

}  // namespace graspd::sim
