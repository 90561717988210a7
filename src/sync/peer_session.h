// What runs on one connected relay: hands everything it says to the part that it concerns, and
// keeps the order in which the parts may send (sync.md §5, §6, §7).
//
//   R1  What the relay says about a request that is not open any more changes nothing but what we
//       know of its events.
//   R2  A request is over when it ended and all it brought is through the intake.
//   R3  Nothing is sent during a pause, while the relay finds out who we are, or - history - before
//       the live filters of the same items.
//   R4  A relay that floods, forges or sends what nobody asked for is left.
#pragma once
#include <optional>
#include <string>

#include "sync/history_reader.h"
#include "sync/live_subscriptions.h"

namespace graspd::sync {

class PeerSession : private TurnKeeper {
 public:
  PeerSession(SessionContext& context, RelayMemory& memory, Session session, core::Now now);

  Session session() const { return peer_.session; }

  // A private server (GRASP-08) is told who we are before anything is asked of it.
  void introduce(core::Now now);
  void start_fresh(core::Now now, Source source);
  void start_quick(core::Now now);
  // Live filters, and history for what is new.
  void target_changed(core::Now now, const Targets::Change& change);
  // The connection is over: keeps in memory what a quick reconnect goes on with.
  void end(core::Now now);
  void close_all() { wires_.close_all(); }                    // says CLOSE to everything
  void retry_now(core::Now now);                              // the operator wants it
  void identify(core::Now now) { authentication_.ask(now); }  // something else needs it

  void on(core::Now now, const EventArrived& in);
  void on(core::Now now, const EventJudged& in);
  void on(core::Now now, const ReadingPaused& in);
  void on(core::Now now, const ReadingResumed& in);
  void on(core::Now now, const EndOfStored& in);
  void on(core::Now now, const Closed& in);
  void on(core::Now now, const Notice& in);
  void on(core::Now now, const Authenticated& in);
  void on(core::Now now, const NegOpened& in);
  void on(core::Now now, const NegStepped& in);
  void on(core::Now now, const NegFailed& in);
  void on(core::Now now, const LookedUp& in);

  void heard(core::Now now);  // any frame
  void tick(core::Now now);   // time-outs, retries
  void pump(core::Now now);   // sends what may be sent
  std::optional<core::Instant> next_due(core::Now now);
  // Why the relay must be left; empty when it need not.
  const std::string& offence() const { return offence_; }
  bool served() const { return served_; }  // it brought something new

  // ---- for the status page
  const Wires& wires() const { return wires_; }
  const LiveSubscriptions& live() const { return live_; }
  const HistoryReader& history() const { return history_; }
  const ReadingPauses& reading() const { return reading_; }
  core::UnixSeconds alive_at(core::Now now) const;  // it was heard then, or later
  bool is_syncing(core::Now now) const;
  bool has_gaps() const;
  bool is_caught_up(core::Now now) const;  // live complete, nothing pending, nothing lost
  void check_invariants() const;
  void check_books() const;  // the dear part of it

 private:
  void offend(std::string why, std::size_t weight);
  void judged(core::Now now, Sub sub, const nostr::EventId& id, core::UnixSeconds created_at,
              nostr::Outcome outcome);
  void count_stored(core::Now now, const Wire& wire, const nostr::EventId& id,
                    core::UnixSeconds created_at);
  void time_out(core::Now now, Sub sub);
  void refused(core::Now now, Sub sub, const std::string& text);
  void live_refused(core::Now now, const Wire& wire, const Remedy& remedy, const std::string& text);
  void refused_by_notice(core::Now now, Sub sub, const std::string& text);
  void ask_unheard_again(core::Now now);
  void turn_ended(core::Now now, core::UnixSeconds started, const ReadValues& read) override {
    live_.turn_ended(now, started, read);
  }

  SessionContext& context_;
  RelayMemory& memory_;
  PeerContext peer_;
  core::Instant since_;
  core::UnixSeconds since_unix_;
  ReadingPauses reading_;
  Authentication authentication_;
  Wires wires_;
  Refusals refusals_;
  HistoryReader history_;
  LiveSubscriptions live_;
  std::size_t offences_ = 0;
  std::string offence_;
  bool served_ = false;
};

}  // namespace graspd::sync
