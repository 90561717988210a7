// What is decided about an event, and what follows from it elsewhere.
#pragma once
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "grasp/coordinate.h"
#include "nostr/wire_event.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct Take {};  // store and serve
struct Wait {
  std::string text;  // OK true with this text; nothing more happens now
};
struct Refuse {
  std::string text;  // with its machine-readable prefix
};
// Held in purgatory; whether its git data is here already has to be looked up.
struct LookForData {};
using Verdict = std::variant<Take, Wait, Refuse, LookForData>;

inline constexpr std::string_view kInPurgatory =
    "purgatory: won't be served until git data arrives";

// What a decision changes besides the event.
struct Changes {
  std::vector<store::Note> notes;          // with the event, in one transaction
  std::vector<nostr::EventId> removals;    // likewise
  std::set<Identifier> recheck;            // authority or data may suffice for more now
  std::vector<Coordinate> asleep;          // repositories without data that go now
  std::vector<Coordinate> purge;           // repositories whose grace period is over
  std::vector<nostr::EventId> lost_pulls;  // whose refs/nostr/<id> go, in all views of:
  std::set<Identifier> lost_pulls_in;
  std::vector<std::string> lost_uploads;   // tokens
  std::vector<nostr::WireEventPtr> retry;  // what waited for this
};

}  // namespace graspd::grasp
