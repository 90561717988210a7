// What a refusal teaches, and what is to be done about the request that was refused (sync.md §5).
//
//   R1  What the relay takes less of is asked for less from now on: filters in a request, requests
//       at a time, bytes that it keeps for us, ids at a time. Lessons about the relay itself are
//       remembered beyond the connection.
//   R2  A relay that asks us to slow down gets a pause, and then a slower pace.
//   R3  A relay that does not want a class of requests is not asked such things for a day.
//   R4  A relay that refuses to reconcile, or is silent about it, is not asked to for a week.
//   R5  A NOTICE names no request: the first that nothing was heard of is meant, if the words fit
//       it. Of several requests in a row a relay takes the first and refuses the last for its pace.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sync/authentication.h"
#include "sync/refusal.h"
#include "sync/wires.h"

namespace graspd::sync {

struct Remedy {
  enum class Request : std::uint8_t {
    Again,         // as it was, not before `not_before`
    Later,         // live: after a wait that grows; history: with its batch
    Fail,          // its batch tries again
    ReadAlone,     // a proof: each of its reads by itself
    OneByOne,      // a sweep: each of its filters by itself
    FewerValues,   // until the values that are refused stand alone
    LessAtOnce,    // fewer values, then less time
    SmallerPages,  // with a lower limit
    SplitByTime,   // a reconciliation
    Pages,         // instead of a reconciliation
    Unwelcome,     // this class of requests pauses
  };
  Request request = Request::Fail;
  core::Instant not_before{};
  bool replan_live = false;  // the budget is smaller
  bool make_space = false;   // what retires goes before its successors are open
  bool fit_bytes = false;    // the request itself is too large now

  static Remedy again(core::Instant at) { return {Request::Again, at}; }
};

class Refusals {
 public:
  Refusals(PeerContext& peer, Wires& wires, Authentication& authentication);

  // Learns from the text; what is to be done about the request.
  Remedy learn(core::Now now, const Wire& wire, const std::string& text);
  Remedy learn(core::Now now, const Wire& wire, const NegFailed& failed);  // of a reconciliation

  void rate_limited(core::Now now);                                              // R2
  void unwelcome(core::Now now, RequestClass refused, const std::string& text);  // R3
  // R4. False: it reconciled before and is only slow now.
  bool no_negentropy(core::Now now, const std::string& text);

  std::optional<Sub> addressee(const std::string& notice) const;  // R5

 private:
  Remedy fewer_at_once(core::Now now, const Wire& wire);
  Remedy fewer_bytes(core::Now now, std::uint64_t cap);
  Remedy fewer_filters(core::Now now, const Wire& wire, const std::string& text);
  Remedy lower_limit(core::Now now, const Wire& wire);
  void shrink_budget();  // to what was learnt
  std::optional<Sub> first_unheard(RefusalKind kind) const;
  std::optional<Sub> newest_unheard() const;
  std::optional<Sub> unheard_reconciliation() const;

  SessionContext& context_;
  RelayMemory& memory_;
  Budget& budget_;
  Wires& wires_;
  Authentication& authentication_;
};

}  // namespace graspd::sync
