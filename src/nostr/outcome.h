// What became of an event: one vocabulary from the store to sync.
//
//   R1  Programs look at the outcome, never at the text of an answer.
//   R2  An answer is OK true for whatever need not be sent again: a version that a newer one
//       superseded is refused and still answered with true.
#pragma once
#include <cstdint>
#include <string_view>

namespace graspd::nostr {

enum class Outcome : std::uint8_t {
  Stored,     // new here
  Known,      // stored before
  Held,       // kept until something it needs arrives
  Refused,    // by policy, deletion, expiry or a newer version: final
  Postponed,  // there is no space for it now: it may come again
  Forged,     // id or signature is wrong: this was no copy of that event
  Failed,     // our own trouble: it may come again
};

// What the sender is told.
struct Answer {
  Outcome outcome = Outcome::Failed;
  bool accepted = false;  // R2
  std::string_view text;  // with its machine-readable prefix
};

}  // namespace graspd::nostr
