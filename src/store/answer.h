// What the sender of an event is told when the store has judged it: the one place of these texts.
#pragma once
#include "nostr/outcome.h"
#include "store/event_store.h"

namespace graspd::store {

nostr::Answer answer_to(Outcome outcome);

}  // namespace graspd::store
