// Events that no policy accepts: checks of a single event that need no state.
//
//   R1  The ingest checks every event here, whichever way it came in: what is rejected from a
//       client is also rejected from a peer or a file.
//   R2  A client's session checks before the signature is verified, to save that work.
//   R3  A protected event (NIP-70) is accepted only from its author: from a session authenticated
//       as the author, or from the operator's own file. No peer may pass it on.
#pragma once
#include <optional>
#include <string>

#include "core/time.h"
#include "nostr/event.h"
#include "relay/acceptance.h"
#include "relay/limits.h"

namespace graspd::relay {

struct Refusal {
  std::string text;  // with its NIP-01 prefix
  enum class Why { Never, Expired, TooEarly } why = Why::Never;
};

// The reason the event is refused, whoever sends it; nullopt when nothing speaks against it.
std::optional<Refusal> refuse_at_intake(const nostr::Event& event, std::size_t event_bytes,
                                        const Limits& limits, core::UnixSeconds now);
// The same, and what matters only for this way in (R3).
std::optional<Refusal> refuse_from(Source::Intake intake, const nostr::Event& event,
                                   std::size_t event_bytes, const Limits& limits,
                                   core::UnixSeconds now);

// Dated later than clocks may differ; never when the limit is 0.
bool is_too_far_ahead(core::UnixSeconds created_at, const Limits& limits, core::UnixSeconds now);

}  // namespace graspd::relay
