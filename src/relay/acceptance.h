// Decides whether an event is accepted: one decision for every event, whichever way it came in.
//
//   R1  Only verified events are passed in, from one thread at a time, and those of one client in
//       the order they came.
//   R2  What a decision changes besides the event (notes, events out of service) is written in the
//       same transaction as the events accepted with it.
//   R3  After every batch, settled() tells what became of the events accepted in it, restored ones
//       last. Then comes committed(), before anybody hears of the outcome of the batch. If the
//       batch could not be written, failed() is called instead of both: nothing that was decided
//       in it counts.
//   R4  A deferred event is handed to proceed() once the batch is durable, and answered once.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/ip_address.h"
#include "nostr/outcome.h"
#include "nostr/relay_url.h"
#include "nostr/wire_event.h"
#include "store/change.h"
#include "store/event_store.h"

namespace graspd::relay {

// Where an event comes from.
struct Source {
  enum class Intake { Client, Import, Sync };
  Intake intake = Intake::Client;
  core::IpAddress client;                        // Intake::Client
  std::shared_ptr<const nostr::RelayUrl> relay;  // Intake::Sync: where it was found
};

struct Accept {};
// Kept elsewhere until something it needs arrives; the sender is told why it is not served yet.
struct Hold {
  std::string text;
};
struct Reject {
  std::string text;             // with its machine-readable prefix: "blocked: …"
  bool may_come_again = false;  // no space, or our own trouble: the same event may be taken later
};
// The answer depends on work that must not keep other events waiting.
struct Defer {};
using Verdict = std::variant<Accept, Hold, Reject, Defer>;

struct Refusal;  // relay/admission.h

// An accepted event after the write.
struct Settled {
  nostr::WireEventPtr event;
  store::Outcome outcome = store::Outcome::Stored;
};

using Answer = std::function<void(const nostr::Answer& answer)>;

class Acceptance {
 public:
  virtual ~Acceptance() = default;
  virtual Verdict decide(const nostr::WireEventPtr& event, const Source& source,
                         store::Changes& changes) = 0;
  virtual void settled(std::span<const Settled>) {}
  virtual void committed() {}
  virtual void failed() {}
  // A verified event was refused before anybody was asked (relay/admission.h).
  virtual void refused(const nostr::WireEventPtr&, const Source&, const Refusal&, store::Changes&) {
  }
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever takes the event keeps the answer
  virtual void proceed(const nostr::WireEventPtr&, const Source&, Answer answer) {
    answer({nostr::Outcome::Failed, false, "error: nobody took this event"});
  }
  // What need not come again though it is not stored: held, waiting or refused. From any thread.
  virtual bool knows(const nostr::EventId&) const { return false; }
  virtual std::vector<store::Position> known(const nostr::Filter&) const { return {}; }
};

// NGIT_ACCEPT=open: any valid event, for a plain relay.
class OpenAcceptance : public Acceptance {
 public:
  Verdict decide(const nostr::WireEventPtr&, const Source&, store::Changes&) override {
    return Accept{};
  }
};

}  // namespace graspd::relay
