// Keeps track of a client's negentropy sessions (NIP-77); the sets and the reconciler are
// elsewhere.
//
//   R1  Their ids are a separate name space. Opening an id that is open closes the old session.
//   R2  Every error is a NEG-ERR, which ends the session; never a NOTICE.
//   R3  A session that waits for its client longer than `negentropy_idle` is closed.
//   R4  One message at a time: a NEG-MSG before the answer to the last one ends the session.
#pragma once
#include <map>
#include <string>

#include "core/time.h"
#include "relay/limits.h"
#include "relay/messages.h"

namespace graspd::relay {

class Reconciliations {
 public:
  explicit Reconciliations(const Limits& limits) : limits_(limits) {}

  void open(core::Now now, nostr::client::NegOpen message, Actions& actions);
  void proceed(core::Now now, nostr::client::NegMessage message, Actions& actions);
  void close(const nostr::SubscriptionId& name, Actions& actions);
  void close_with(const nostr::SubscriptionId& name, std::string_view reason, Actions& actions);

  void reconciled(core::Now now, const Reconciled& in, Actions& actions);
  void refused(const ReconciliationRefused& in, Actions& actions);
  void drop_idle(core::Now now, Actions& actions);

 private:
  struct Open {
    nostr::SubscriptionId name;
    bool busy = true;  // our turn to answer
    core::Instant answered_at{};
  };

  void end(Handle handle, Actions& actions);
  void end_with_error(Handle handle, std::string_view reason, Actions& actions);

  const Limits& limits_;
  Handle handles_ = 0;
  std::map<Handle, Open> open_;
  std::map<nostr::SubscriptionId, Handle> by_name_;
};

}  // namespace graspd::relay
