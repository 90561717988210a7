// Proactive sync (GRASP-02): decides whom to call, what to ask and when (sync.md).
//
// A value without sockets, threads, clock or chance of its own:
//     (state, now, input) -> (state', actions)
//
//   R1  A relay is dialled only when it is down, wanted, due and not paused; one connection each.
//   R2  A relay is wanted while a repository targets it, for 15 minutes after, or as bootstrap.
//   R3  The index changes only by the feed of our own relay, in batches: the window starts with the
//       first item and does not restart. The history pass enters in one step.
//   R4  First connect, more than 15 minutes away, and daily: a fresh start. Else a quick reconnect.
//   R5  At most one alarm is armed.
//   R6  Inputs of a session that is over change nothing.
//   R7  A relay that there is no place for (Places) is followed when one is free, for all that list
//       it. What one batch of the feed brings shares the places in turn, whatever its order.
//   R8  Which peers are dialled depends on what kind of server this is (Options::peers); NIP-11
//       tells what kind the peer is. A peer that is left alone is looked at again after a day.
//
// Not thread-safe: all calls come from one strand.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "sync/alarms.h"
#include "sync/places.h"
#include "sync/relay.h"
#include "sync/session_context.h"
#include "sync/status.h"

namespace graspd::sync {

class Engine {
 public:
  Engine(Options options, core::Rng rng);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Actions step(core::Now now, const Input& input);

  Status status(core::Now now) const;
  RelayStatus status_of(const Relay& relay, core::Now now) const;
  const Meter& meter() const { return context_.meter; }
  const Relay* find(const nostr::RelayUrl& url) const;
  // Every wanted relay is connected, live is complete, nothing is pending.
  bool is_settled(core::Now now) const;
  void check_invariants() const;
  void check_books() const;  // what is confirmed, and what was read for it

 private:
  using FeedItem = std::variant<RepoSeen, RepoGone, RootSeen, RootGone>;
  static constexpr std::uint32_t kFeedAlarm = 0xffff'ffff;
  static constexpr std::uint32_t kDialAlarm = 0xffff'fffe;

  void on(core::Now now, const RepoSeen& in) { stage(now, in); }
  void on(core::Now now, const RepoGone& in) { stage(now, in); }
  void on(core::Now now, const RootSeen& in) { stage(now, in); }
  void on(core::Now now, const RootGone& in) { stage(now, in); }
  void on(core::Now now, const RootTouched& in);
  void on(core::Now now, const FeedHistoryEnded& in);
  void on(core::Now now, const InformationRead& in);
  void on(core::Now now, const DialFailed& in);
  void on(core::Now now, const Connected& in);
  void on(core::Now now, const Disconnected& in);
  void on(core::Now now, const Heard& in);
  void on(core::Now now, const EventArrived& in) { pass_on(now, in); }
  void on(core::Now now, const EventJudged& in) { pass_on(now, in); }
  void on(core::Now now, const ReadingPaused& in) { pass_on(now, in); }
  void on(core::Now now, const ReadingResumed& in) { pass_on(now, in); }
  void on(core::Now now, const EndOfStored& in) { pass_on(now, in); }
  void on(core::Now now, const Closed& in) { pass_on(now, in); }
  void on(core::Now now, const Notice& in) { pass_on(now, in); }
  void on(core::Now now, const Authenticated& in) { pass_on(now, in); }
  void on(core::Now now, const NegOpened& in) { pass_on(now, in); }
  void on(core::Now now, const NegStepped& in) { pass_on(now, in); }
  void on(core::Now now, const NegFailed& in) { pass_on(now, in); }
  void on(core::Now now, const LookedUp& in) { pass_on(now, in); }
  void on(core::Now now, const Restored& in);
  void on(core::Now now, const WantedAgain& in);
  void on(core::Now now, const RetryWanted& in);
  void on(core::Now now, const Alarm& in);
  void on(core::Now now, const StopWanted& in);

  // engine_feed.cpp
  void stage(core::Now now, FeedItem item);
  void commit(core::Now now);
  void apply(core::Now now, const RepoSeen& in);
  void apply(core::Now now, const RepoGone& in);
  void apply(core::Now now, const RootSeen& in);
  void apply(core::Now now, const RootGone& in);
  void change_repo(RepoId id, const std::function<void()>& change);
  void spread(core::Now now);  // what changed in the targets

  // engine_places.cpp
  RelayId add_relay(core::Now now, const nostr::RelayUrl& url, Reason reason);
  void fill_places(core::Now now);
  void link(RepoId repo, const std::vector<RelayId>& more);

  // engine_link.cpp
  template <class In>
  void pass_on(core::Now now, const In& in);
  template <class In>
  void too_late(core::Now now, const In& in);
  PeerSession* connection_of(RelayId relay, Session session);
  bool is_wanted(const Relay& relay, core::Now now) const;
  void queue_dial(core::Now now, Relay& relay);
  void start_dials(core::Now now);
  void start_dial(core::Now now, Relay& relay);
  void dial(core::Now now, Relay& relay, Session session);
  bool is_left_alone(const Relay& relay) const;  // R8
  void leave_alone(core::Now now, Relay& relay);
  void attempt_over(core::Now now, Relay& relay);
  void clear_failures(core::Now now);
  void blame(core::Now now, Relay& relay, const std::string& why);
  void reject(core::Now now, Relay& relay, const std::string& why);
  void hang_up(core::Now now, Relay& relay, const std::string& why, bool is_guilty);
  void lost(core::Now now, Relay& relay, const std::string& why, bool is_guilty);
  void tend(core::Now now, Relay& relay);  // what is due, then what may be sent
  void fall_due(core::Now now, RelayId id);
  void arm(core::Now now);
  void save(core::Now now, Relay& relay);
  void forget(core::Now now, RelayId id);

  SessionContext context_;
  DialGate dials_;
  std::map<RelayId, std::unique_ptr<Relay>> relays_;
  std::map<nostr::RelayUrl, RelayId> handles_;
  std::uint32_t next_relay_ = 0;
  std::map<nostr::RelayUrl, RelayRecord> records_;  // of relays that are not here (yet)
  std::set<std::pair<core::Instant, RelayId>> dial_queue_;
  Places places_;  // R7
  std::uint32_t sessions_ = 0;
  std::vector<FeedItem> staged_;
  bool feed_complete_ = false;
  bool stopped_ = false;
  Alarms<std::uint32_t> alarms_;
  std::optional<core::Instant> armed_;
};

}  // namespace graspd::sync
