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
// It hands every input to the part that it concerns: the feed says whom to follow, the links how
// each of these is connected.
//
// Not thread-safe: all calls come from one strand.
#pragma once
#include <optional>
#include <vector>

#include "sync/alarms.h"
#include "sync/feed.h"
#include "sync/relay_directory.h"
#include "sync/relay_links.h"
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
  const Relay* find(const nostr::RelayUrl& url) const { return relays_.find(url); }
  // Every wanted relay is connected, live is complete, nothing is pending.
  bool is_settled(core::Now now) const;
  void check_invariants() const { relays_.check_invariants(); }
  void check_books() const;  // what is confirmed, and what was read for it

 private:
  static constexpr std::uint32_t kFeedAlarm = 0xffff'ffff;

  template <class In>
  void dispatch(core::Now now, const In& in);
  void on(core::Now now, const FeedHistoryEnded& in);
  void on(core::Now now, const RootTouched& in);
  void on(core::Now now, const Restored& in);
  void on(core::Now now, const WantedAgain& in);
  void on(core::Now now, const RetryWanted& in);
  void on(core::Now now, const Alarm& in);
  void on(core::Now now, const StopWanted& in);

  void commit(core::Now now);
  void fill_places(core::Now now);
  void tend(core::Now now, const std::vector<RelayId>& relays);
  void admit_to_history(core::Now now);
  void fall_due(core::Now now, Relay& relay);
  void arm();

  SessionContext context_;
  RelayDirectory relays_;
  Alarms<std::uint32_t> alarms_;
  Feed feed_;
  RelayLinks links_;
  std::optional<core::Instant> armed_;  // R5
};

}  // namespace graspd::sync
