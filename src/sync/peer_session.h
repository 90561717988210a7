// What runs on one connected relay: live subscriptions, history, refusals (sync.md §5, §6, §7).
//
//   R1  A wire id touches state only while this connection owns it.
//   R2  Whatever ends a request - EOSE, CLOSED, a time-out, a lost connection - ends it in the
//       index too, exactly once; an EOSE heard before a CLOSED counts.
//   R3  Open subscriptions and reconciliations never pass the budget's slots; at least one slot is
//       kept for history. A slot is free when our CLOSE is queued.
//   R4  Nothing is sent during a pause, without a token of the pace, or - history - before the live
//       filters of the same items.
//   R5  A request's items are confirmed only when all requests of its batch are complete and all
//       they brought is through the intake.
//   R6  New live groups are open before the old ones close.
//   R7  What was published while a live group was not open is read when it is open again. The same
//       holds for what rotated until then, and for a group that never said it listens: that is read
//       again and again.
//   R8  What is confirmed was read, for each of its tags and over all time, since the last fresh
//       start (Ledger). What leaves the target is not read any more: it begins anew when it
//       returns.
//   R9  A small answer without a hint may be all that the relay gives at a time. While it never
//       gave more, it is asked by id for more events that it has; where there are none to ask for,
//       all is read again after a while.
//   R10 While we do not read from the relay nothing of it is late: its deadlines stand still. What
//       we hear afterwards is old: what ended then, ended when we stopped reading.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/budget.h"
#include "sync/id_fetch_queue.h"
#include "sync/live_plan.h"
#include "sync/pace.h"
#include "sync/refusal.h"
#include "sync/relay_memory.h"
#include "sync/session_context.h"

namespace graspd::sync {

class PeerSession {
 public:
  PeerSession(SessionContext& context, RelayMemory& memory, Session session, core::Now now);

  Session session() const { return session_; }

  void start_fresh(core::Now now, Source source);
  void start_quick(core::Now now);
  // Live filters, and history for what is new.
  void target_changed(core::Now now, const Targets::Change& change);
  // The connection is over: keeps in memory what a quick reconnect goes on with.
  void end(core::Now now);
  void close_all();               // says CLOSE to everything
  void retry_now(core::Now now);  // the operator wants it

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
  void tick(core::Now now);   // time-outs, retries, pings
  void pump(core::Now now);   // sends what may be sent
  std::optional<core::Instant> next_due(core::Now now);
  // Why the relay must be left; empty when it need not.
  const std::string& offence() const { return offence_; }
  bool served() const { return served_; }  // it brought something new

  // ---- for the status page
  bool is_syncing(core::Now now) const;
  bool has_gaps() const;
  std::size_t open_wires() const;
  std::size_t live_open() const;
  std::size_t history_open() const { return transients_open() + reconciliations_open(); }
  std::size_t live_repairs(core::Now now) const;  // refused, and not yet opened again
  const LivePlan& live_plan() const { return plan_; }
  const std::map<std::uint32_t, Batch>& batches() const { return batches_; }
  std::uint32_t pace_per_minute() const { return pace_.per_minute(); }
  bool is_caught_up(core::Now now) const;    // live complete, nothing pending, nothing lost
  bool adds_up() const;                      // R8
  bool is_held_back(core::Now now) const;    // we read it slowly, or not at all
  bool is_over_budget(core::Now now) const;  // for what it sends
  // Why all or some of it is read again: the books did not add up. Empty: they do.
  std::string rereading() const;
  // It came, and we did not take it: it is missing until it comes again.
  void unjudged(core::Now now, const nostr::EventId& id);
  void check_invariants() const;
  void check_books() const;  // the dear part of it

 private:
  struct Wire {
    enum class Purpose : std::uint8_t { Live, Sweep, Page, Proof, Fetch, Lost, Probe, Reconcile };
    Purpose purpose = Purpose::Live;
    JobKey job;
    std::vector<JobKey> sharing;                // of a proof: all jobs that it is about
    PageRead::End end = PageRead::End::NotYet;  // that it is to prove
    bool refuted = false;                       // something came that speaks against it
    std::set<nostr::EventId> repeats;           // still to come, or the answer is not whole
    std::uint64_t matched = 0;         // of a sweep: the filters that it brought something for
    std::set<nostr::EventId> brought;  // by a sweep, each once
    std::uint32_t group = 0;
    std::set<nostr::EventId> ids;  // not delivered yet
    core::Instant opened, progressed;
    bool heard = false, closed = false, ended = false, our_fault = false;
    bool sent = true;            // a reconciliation is sent when our inventory is read
    bool authenticated = false;  // the relay knew who asks when this was sent
    bool more = false;           // a reconciliation's next message waits for the pace
    bool strayed = false;        // something came that no filter of it matches
    std::size_t unjudged = 0, arrived = 0, delivered = 0, filters = 1;
    nostr::Completeness completeness = nostr::Completeness::Unknown;
  };
  using Wires = std::map<Sub, Wire>;
  struct LiveGroup {
    enum class State : std::uint8_t { Wanted, Opening, Open };
    Group slices;
    State state = State::Wanted;
    std::optional<Sub> sub;
    core::Instant not_before{};
    std::uint32_t repairs = 0;
    bool retiring = false;
    std::optional<core::UnixSeconds> dark_since;  // R7
    core::UnixSeconds opened = 0;                 // when it was asked for last
    bool by_hand = false;                         // a half of a refused group: not the plan's
    bool unproven = false;                        // it never answered, and is believed to listen
    core::Instant believed_at{};
    core::UnixSeconds read_at = 0;  // what it did not bring, last
  };
  enum class Auth : std::uint8_t { Unasked, Asked, Accepted, Refused };

  // peer_session_live.cpp
  void plan_live_set(core::Now now);
  void pump_live(core::Now now);
  void open_group(core::Now now, std::uint32_t id, LiveGroup& group);
  void live_works(core::Now now, std::uint32_t id);
  void close_retired();
  void retire();
  void make_space(core::Now now);
  void mark_gap(core::UnixSeconds since,
                const Group& slices);  // who is to bring these, if not open
  void lose_retiring(core::Now now, std::uint32_t id);
  void catch_up_live(core::Now now);
  core::UnixSeconds unproven_read_at(const LiveGroup& group) const;  // not before
  std::optional<core::UnixSeconds> dark_since(core::Now now) const;
  // Since when it brings nothing, if it does not.
  core::UnixSeconds dark_from(core::Now now, const LiveGroup& group) const;
  void split_group(core::Now now, std::uint32_t id);
  void reopen(core::Now now, LiveGroup& group, core::Instant not_before);
  bool live_is_waiting(core::Now now) const;
  bool live_is_settling(core::Now now) const;  // opens, or reads what it missed
  void doubt_believed(core::Now now);          // R7
  void rotate_from(core::UnixSeconds since);
  void rotate_by_hand(core::Now now);  // what was split and has no space live
  bool rotation_is_late(core::Now now) const;
  std::optional<core::Instant> group_paused_until(const LiveGroup& group) const;
  Excluded parked() const;
  Excluded not_planned() const;  // parked, or open by hand
  void rotate(core::Now now);
  std::vector<nostr::Filter> live_filters(const Group& group) const;

  // peer_session_history.cpp
  void plan_work(core::Now now);                      // everything that is wanted
  void plan_work(core::Now now, const Items& grown);  // what came to it
  void begin(core::Now now, Batch batch);
  Batch make_batch(core::Now now, Batch::Kind kind, Source source, Items items, Window window,
                   bool sweep_first);
  void add_jobs(Batch& batch, const std::vector<Slice>& slices, Window window, bool sweep_first,
                core::Now now);
  std::optional<std::vector<nostr::Address>> asked_of(const Slice& slice) const;
  Job make_job(const Slice& slice, Window window, core::Now now) const;
  bool reconciles(const Window& window, core::Now now) const;
  // How long a live group that never answered is believed to listen.
  static constexpr core::Duration kBelievedFor = std::chrono::minutes(3);
  // What rotates is behind by that much at most, or is not called complete.
  static constexpr core::Duration kRotationLate = std::chrono::minutes(5);
  // More new work than this waits and becomes one larger batch.
  static constexpr std::size_t kBatchesMax = 8;
  std::size_t busy_batches() const;  // those that wait for their next try are not
  void join_failed(std::uint32_t id);
  bool widen(Batch& batch, const Job& other);
  Items pending() const;
  // `brought`: the slices that the sweep brought something for, a bit each.
  void expand(core::Now now, JobKey key, Job::Phase phase, std::uint64_t brought = ~0ULL);
  void split_by_time(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle);
  bool split_window(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle);
  void too_large(core::Now now, JobKey key, const std::string& why);
  void split_values(core::Now now, JobKey key);
  static void halve(Job& job, Batch& batch);  // of one filter with several values
  void page_instead(JobKey key);
  void stop_reconciling(JobKey key);  // and page instead
  void job_done(core::Now now, JobKey key);
  void job_stuck(core::Now now, JobKey key, const std::string& why);
  void job_again(JobKey key, core::Instant not_before);
  void check_batch(core::Now now, std::uint32_t id);
  void complete_batch(core::Now now, std::uint32_t id);
  void pay(const Job& job, Batch& batch);
  void rotation_complete(core::Now now, const Batch& batch, const ReadValues& read);
  void rotation_stuck(core::Now now, Batch& batch);
  void history_complete(core::Now now);
  void drop_batch(std::uint32_t id);
  Job* find_job(JobKey key);

  // peer_session_books.cpp
  Ledger debts_of(Batch::Kind kind, const Items& items, Window window) const;
  void read_rest(core::Now now, std::uint32_t id);  // of a batch whose jobs are all done
  void mend_books(core::Now now);
  void keep_target(core::Now now);  // what left it is neither confirmed nor pending
  void take_from_batches(const Items& items);
  void park(core::Now now, FilterClass filter_class, std::uint32_t id);
  void unpark(core::Now now);  // those whose time is over
  void release(core::Now now, const Excluded& values);

  // peer_session_trust.cpp
  void check_trust(core::Now now);
  void reread_if_due(core::Now now);
  void plan_recheck(core::Now now);
  void gave(core::Now now, std::size_t count);
  bool doubts_trust() const;
  bool wants_recheck() const;
  bool wants_probe() const;
  void remember_given(const nostr::EventId& id);
  bool send_probe(core::Now now);  // R9
  void finish_probe(core::Now now, const Wire& wire);

  // peer_session_proof.cpp
  std::vector<JobKey> sharing_with(core::Now now, JobKey key);
  void send_proof(core::Now now, const std::vector<JobKey>& jobs, Source source);
  bool speaks_against(Wire& proof, const EventArrived& in);
  bool is_proved(const Wire& wire) const;
  void finish_proof(core::Now now, const Wire& wire);
  void ask_alone(const Wire& wire);
  void sweep_instead(Batch& batch);  // of reconciling what is not on its way

  // peer_session_send.cpp
  bool take_token(core::Now now);
  bool has_slot() const;
  bool is_admitted(core::Now now);
  std::size_t transients_open() const;
  std::size_t reconciliations_open() const;
  void pump_history(core::Now now);
  bool send_fetch(core::Now now);
  bool send_lost(core::Now now);
  bool send_next_job(core::Now now);
  bool may_send(core::Now now, const Job& job) const;
  std::size_t reconciliations_max(core::Now now) const;
  void start_pages(Job& job);
  bool holds_back(const Job& job) const;
  void send_job(core::Now now, JobKey key, Batch& batch, Job& job);
  void subscribe(core::Now now, Wire wire, Source source, std::vector<nostr::Filter> filters);
  void close_wire(Sub sub, Wire& wire);
  void pump_reconciliations(core::Now now);
  bool is_paused_class(core::Now now, RequestClass request_class) const;
  std::uint64_t sweep_limit(const Batch& batch) const;
  bool is_complete_sweep(const Wire& wire) const;

  // peer_session_hear.cpp
  Hydration* hydration_of(const Wire& wire);  // of a request by id
  const char* watchdog_class(const Wire& wire);
  void judged(core::Now now, Sub sub, Wire& wire, const nostr::EventId& id,
              core::UnixSeconds created_at, Verdict verdict);
  void count_stored(core::Now now, const Wire& wire, const nostr::EventId& id,
                    core::UnixSeconds created_at);
  void delivered(core::Now now, const nostr::EventId& id);
  void release_fetchers(core::Now now, const nostr::EventId& id);
  void finish(core::Now now, Wires::iterator at);
  void page_ended(core::Now now, JobKey key, nostr::Completeness completeness);
  void take_page(core::Now now, JobKey key);
  void finish_fetch(core::Now now, const Wire& wire);
  void id_lost(core::Now now, JobKey key);
  void time_out(core::Now now, Wires::iterator at);
  std::optional<core::Instant> deadline(const Wire& wire) const;
  void offend(std::string why, std::size_t weight);

  // peer_session_notice.cpp
  Wires::iterator likely_refused(RefusalKind kind);
  Wires::iterator newest_unheard();
  Wires::iterator unheard_reconciliation();
  void refused_by_notice(core::Now now, Wires::iterator at, const std::string& text);
  void authenticate(core::Now now);
  bool will_be_known(core::Now now, const Wire& wire);  // asking once more is worth it
  void ask_unheard_again(core::Now now);

  // peer_session_refusals.cpp
  void refused(core::Now now, Wires::iterator at, const std::string& text);
  bool comply(core::Now now, const Wire& wire, const Refusal& refusal, const std::string& text);
  void come_back_later(core::Now now, const Wire& wire, const std::string& text);
  void fewer_filters(core::Now now, const Wire& wire, const std::string& text);
  bool live_without_zero();
  bool lower_limit(const Wire& wire);
  void page_what_waits();
  void reconciliation_refused(core::Now now, Wires::iterator at, const NegFailed& in);
  void no_negentropy(core::Now now, JobKey key, const std::string& text);
  void rate_limited(core::Now now);
  void policy(core::Now now, RequestClass request_class, const std::string& text);
  void break_page(const Wire& wire);
  void requeue(core::Now now, const Wire& wire, core::Instant not_before);
  void fail_wire(core::Now now, const Wire& wire, const std::string& why);
  RequestClass class_of(const Wire& wire);
  void lesson_learnt(core::Now now);
  void too_many_at_once(core::Now now, bool is_live);
  void too_many_bytes(core::Now now, const Wire& wire, std::uint64_t cap);

  SessionContext& context_;
  RelayMemory& memory_;
  Session session_;
  Budget budget_;
  Pace pace_;
  core::Instant since_;
  core::UnixSeconds since_unix_;
  core::Instant last_frame_, last_ping_;
  std::optional<core::Instant> paused_at_, resumed_at_;  // of our reading
  core::UnixSeconds behind_since_ = 0;                   // while it is held back: R10
  bool over_budget_ = false, over_budget_logged_ = false;
  Wires wires_;
  std::map<std::uint32_t, Batch> batches_;
  std::uint32_t next_batch_ = 1;
  IdFetchQueue fetches_;
  std::deque<std::vector<nostr::EventId>> lookups_;
  std::map<std::uint32_t, LiveGroup> live_;
  std::vector<Group> by_hand_rotating_;
  std::uint32_t next_group_ = 1;
  Items live_items_;
  LivePlan plan_;
  std::optional<core::UnixSeconds> live_since_;  // all groups open
  core::UnixSeconds rotated_since_;
  core::Instant rotate_at_;
  core::Instant last_new_work_;
  std::vector<nostr::EventId> probe_rest_;  // left out of an answer by id: are they there?
  std::size_t probe_gave_ = 0;              // with that answer
  core::Instant probe_at_{};                // not before
  std::optional<core::Instant> pace_at_;    // something waits for a token until then
  Auth auth_ = Auth::Unasked;
  core::Instant auth_asked_at_;
  std::size_t offences_ = 0;
  std::string offence_;
  bool served_ = false;
  bool more_work_ = false;
  bool turned_away_ = false;  // history must wait for its turn
};

}  // namespace graspd::sync
