// The requests that are open on one connection: whose they are, and whether one more may be sent.
//
//   R1  An id of a request touches state only while this connection owns it.
//   R2  Whatever ends a request - EOSE, CLOSED, a time-out, a lost connection - ends it here too,
//       exactly once; an EOSE heard before a CLOSED counts.
//   R3  Open subscriptions and reconciliations never pass the budget's slots. A slot is free when
//       our CLOSE is queued.
//   R4  Every request takes a token of the pace. History also needs the relay's turn (HistoryGate).
//   R5  A request is late when the relay does not begin to answer, or stops answering. While it is
//       our turn, or while we do not read from the relay, nothing is late. A live subscription is
//       late only until the relay listens.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sync/authentication.h"
#include "sync/job.h"
#include "sync/pace.h"
#include "sync/peer_context.h"
#include "sync/reading_pauses.h"

namespace graspd::sync {

struct Wire {
  enum class Purpose : std::uint8_t { Live, Sweep, Page, Proof, Fetch, Lost, Probe, Reconcile };
  Purpose purpose = Purpose::Live;
  core::Instant opened, progressed;
  std::size_t filters = 1;
  bool heard = false, closed = false, ended = false;
  bool our_fault = false;      // something that it brought could not be judged
  bool authenticated = false;  // the relay knew who asks when this was sent
  bool strayed = false;        // something came that no filter of it matches
  std::size_t unjudged = 0, arrived = 0, delivered = 0;
  nostr::Completeness completeness = nostr::Completeness::Unknown;

  // Live
  std::uint32_t group = 0;
  bool listens = false;  // the relay said so, or is believed to
  // Of a job
  JobKey job;
  std::uint64_t matched = 0;         // of a sweep: the filters that it brought something for
  std::set<nostr::EventId> brought;  // by a sweep, each once
  // Proof
  std::vector<JobKey> sharing;                // all jobs that it is about
  PageRead::End end = PageRead::End::NotYet;  // that it is to prove
  bool refuted = false;                       // something came that speaks against it
  std::set<nostr::EventId> repeats;           // still to come, or the answer is not whole
  // Fetch, Lost, Probe
  std::set<nostr::EventId> ids;  // not delivered yet
  // Reconcile
  bool sent = true;   // it is sent when our inventory is read
  bool more = false;  // the next message waits for the pace

  bool is_live() const { return purpose == Purpose::Live; }
  bool is_reconciliation() const { return purpose == Purpose::Reconcile; }
  bool is_by_id() const {
    return purpose == Purpose::Fetch || purpose == Purpose::Lost || purpose == Purpose::Probe;
  }
  // Sent, and the relay did not say anything about it.
  bool is_unheard() const { return !heard && !closed && sent; }
};

class Wires {
 public:
  Wires(PeerContext& peer, const Authentication& authentication, const ReadingPauses& reading,
        core::Now now);

  Wire* find(Sub sub);  // R1
  const std::map<Sub, Wire>& all() const { return wires_; }
  std::vector<Sub> unheard() const;

  Sub open(core::Now now, Wire wire, Source source, std::vector<nostr::Filter> filters);
  Sub open_by_id(core::Now now, Wire::Purpose purpose, Source source, std::set<nostr::EventId> ids);
  void open_reconciliation(core::Now now, Wire wire, nostr::Filter filter,
                           std::optional<std::vector<nostr::Address>> asked);
  void continue_reconciliation(core::Now now, Sub sub);
  void close(Sub sub);  // says CLOSE; it is still here
  Wire take(Sub sub);   // it is not here any more
  void drop(Sub sub);   // says CLOSE, unless that was said, and forgets it
  void drop_batch(std::uint32_t batch);
  void drop_reconciliation(JobKey job);
  void close_all();

  bool has_slot() const;
  std::size_t open_count() const;
  std::size_t transients_open() const;
  std::size_t reconciliations_open() const;
  std::size_t history_open() const { return transients_open() + reconciliations_open(); }
  bool has_transient_slot() const;  // for one more request about history
  bool has(Wire::Purpose purpose) const;

  bool take_token(core::Now now);  // R4
  bool admits(core::Now now);      // is it this relay's turn to read history?
  void begin_turn();
  void end_turn();  // gives the turn away when nothing is open
  bool waits_for_token() const { return token_at_.has_value(); }
  void slow_down(core::Now now) { pace_.refused(now.instant); }
  const Pace& pace() const { return pace_; }

  std::vector<Sub> late(core::Now now) const;  // R5
  std::optional<core::Instant> next_deadline() const;
  std::optional<core::Instant> token_at() const { return token_at_; }
  void put_off(core::Duration span, core::Now now);  // all deadlines

 private:
  std::optional<core::Instant> deadline(const Wire& wire) const;

  PeerContext& peer_;
  const Authentication& authentication_;
  const ReadingPauses& reading_;
  Pace pace_;
  std::map<Sub, Wire> wires_;
  std::optional<core::Instant> token_at_;  // something waits for a token until then
  bool turned_away_ = false;               // history must wait for its turn
};

}  // namespace graspd::sync
