// The decision about an event. Its consequences are a grasp/transition.h.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/ip_address.h"
#include "grasp/coordinate.h"
#include "nostr/relay_url.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp {

// Where an event comes from, as far as that matters to what becomes of it.
struct Origin {
  bool synced = false;                           // from a peer, not from a person
  std::shared_ptr<const nostr::RelayUrl> relay;  // of a synced event: where it was found
  std::optional<core::IpAddress> client = {};    // of a person's: from where, if that is known
};

// Why an event is not served, for those who remember it. The numbers are written down.
enum class Reason : std::uint8_t {
  None = 0,       // it is taken, or here already
  Passing = 1,    // our own trouble, or no space: it may come again
  Invalid = 2,    // it will never be right
  Unwelcome = 3,  // by the operator's lists
  Lacking = 4,    // something it needs is not here
  Superseded = 5,
  Deleted = 6,
  Vanished = 7,
  Expired = 8,
  Abandoned = 9,  // its git data did not come
};

// Store and serve; an ephemeral event is only passed on.
struct Take {
  bool of_stranger = false;  // ephemeral, and about nothing that is here
};
struct Wait {
  std::string text;  // OK true with this text; nothing more happens now
  Reason reason = Reason::None;
};
struct Refuse {
  std::string text;  // with its machine-readable prefix
  Reason reason = Reason::Passing;
};
// Held in purgatory; whether its git data is here already has to be looked up.
struct LookForData {};
using Verdict = std::variant<Take, Wait, Refuse, LookForData>;

Reason reason_of(const Verdict& verdict);
Reason reason_of(store::Outcome outcome);

inline constexpr std::string_view kInPurgatory =
    "purgatory: won't be served until git data arrives";

// An announcement that is gone: what others knew it by.
struct Departed {
  Coordinate coordinate;
  std::optional<nostr::EventId> announcement;  // the version that was served

  bool operator==(const Departed&) const = default;
};

}  // namespace graspd::grasp
