// What the parts of one session share: the engine around it, the relay, and what may be used of it.
#pragma once
#include "sync/budget.h"
#include "sync/relay_memory.h"
#include "sync/session_context.h"

namespace graspd::sync {

struct PeerContext {
  SessionContext& engine;
  RelayMemory& memory;
  Session session;
  Budget budget;  // shrinks with what the relay refuses

  PeerContext(SessionContext& around, RelayMemory& relay, Session number)
      : engine(around),
        memory(relay),
        session(number),
        budget(make_budget(relay.information, relay.lessons)) {}
};

}  // namespace graspd::sync
