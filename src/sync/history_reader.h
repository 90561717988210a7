// Reads what a relay had before we listened (sync.md §6): what is to be read (Books) becomes
// batches of jobs, jobs become requests (JobRequests, IdReader, AnswerTrust), and what becomes of a
// request decides how its job goes on.
//
//   R1  A request that ended tells its job: complete, to be continued, or to be proved.
//   R2  A request that failed leaves its job stuck; the batch tries it again later.
//   R3  A refused request is asked otherwise, as the remedy says; nothing of it is left out.
//   R4  Whoever does not reconcile is swept and paged, and all that waits for a reconciliation too.
//   R5  What was promised is fetched before more is heard of.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/answer_trust.h"
#include "sync/batches.h"
#include "sync/books.h"
#include "sync/id_reader.h"
#include "sync/job_remedies.h"
#include "sync/job_requests.h"
#include "sync/page_proofs.h"
#include "sync/refusals.h"

namespace graspd::sync {

class HistoryReader : public GapReader {
 public:
  HistoryReader(PeerContext& peer, Wires& wires, Refusals& refusals, TurnKeeper& turns,
                core::Now now);

  Books& books() { return books_; }
  const Books& books() const { return books_; }
  AnswerTrust& trust() { return trust_; }
  const AnswerTrust& trust() const { return trust_; }
  const std::map<std::uint32_t, Batch>& batches() const { return batches_.all(); }

  // ---- sending
  bool has_space() const { return !batches_.is_full(); }  // for another batch
  void continue_reconciliations(core::Now now);
  void pump(core::Now now);  // sends what may be sent

  // ---- what comes
  // True when it is new to its request.
  bool arrived(Wire& wire, const EventArrived& in);
  void strayed(const Wire& wire, core::UnixSeconds created_at);  // no filter matches it
  Batch* batch_of(const Wire& wire, const nostr::EventId& id);   // that wanted it
  void delivered(core::Now now, const nostr::EventId& id);       // however it came
  void settled(core::Now now, const nostr::EventId& id);         // nobody needs to wait for it
  void stepped(core::Now now, Sub sub, const NegStepped& in);
  void looked_up(core::Now now, const LookedUp& in);

  // ---- what becomes of a request
  void ended(core::Now now, const Wire& wire);                           // R1
  void failed(core::Now now, const Wire& wire, const std::string& why);  // R2
  void again(const Wire& wire, core::Instant not_before);  // as if it had not been sent
  void timed_out(core::Now now, Sub sub);
  void refused(core::Now now, const Wire& wire, const Remedy& remedy,
               const std::string& text);  // R3
  void fit_bytes(core::Now now, const Wire& wire) { remedies_.fit_bytes(now, wire.job); }
  void reconciliation_refused(core::Now now, const Wire& wire, const NegFailed& in);
  void noticed(core::Now now, const std::string& text);  // it names no request
  void interrupted();  // the connection is over: keeps what a quick reconnect goes on with
  RequestClass class_of(const Wire& wire);

  void tick(core::Now now) { batches_.retry_due(now); }
  void retry_now(core::Now now) { batches_.retry_now(now); }
  void add_due(Soonest& due) const;

  // ---- GapReader
  bool is_rotating() const override { return batches_.rotation().has_value(); }
  void drop_turn() override;
  void park(core::Now now, FilterClass filter_class, std::uint32_t id) override;

 private:
  void proof_ended(core::Now now, const Wire& wire);
  void page_ended(core::Now now, JobKey key, nostr::Completeness completeness);
  void take_page(core::Now now, JobKey key);
  void break_page(const Wire& wire);
  void stop_reconciling(JobKey key);                                       // and page instead
  void no_negentropy(core::Now now, JobKey key, const std::string& text);  // R4
  void one_lost(core::Now now, JobKey key);
  const char* watchdog_class(const Wire& wire);

  SessionContext& context_;
  RelayMemory& memory_;
  Wires& wires_;
  Refusals& refusals_;
  Batches batches_;
  AnswerTrust trust_;
  Books books_;
  PageProofs proofs_;
  JobRequests requests_;
  JobRemedies remedies_;
  IdReader ids_;
};

}  // namespace graspd::sync
