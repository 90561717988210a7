// Range-based set reconciliation, protocol version 1 (0x61), both sides. Pure: messages in,
// messages out.
//
//   R1  A message never exceeds the frame limit; what does not fit is finished in later rounds.
//   R2  Counts and lengths in a message are checked against its size before anything is allocated.
//   R3  A message with another protocol version is answered by the single byte 0x61.
//   R4  The server side keeps nothing between messages but the item set.
//   R5  The initiator reports an id once, also when a limited frame made a range come twice.
//   R6  Work is linear in the message and the answer, but for the search in a sorted list.
//   R7  The responder says most: it lists what differs, and what it lists costs the initiator
//       nothing more. An initiator sends fingerprints, hardly ever ids.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "negentropy/bad_message.h"
#include "negentropy/item_set.h"

namespace graspd::negentropy {

struct IdList;
struct Section;

// The largest answer of a relay to a client of whom nothing is known. Hex doubles it: with what is
// around it, a message stays below the mebibyte that some WebSocket libraries take at most, and is
// a little smaller than what other relays send.
constexpr std::size_t kAnswerFrameMax = 480'000;

struct Options {
  // Bytes of one message, before hex doubles them. 0: no limit. Values below 4096 are not sensible
  // and are raised to it.
  std::size_t frame_max = 60'000;
  // Ids an initiator remembers as needed, about 80 bytes each: a peer that invents them without
  // end is refused instead.
  std::size_t need_max = 2'000'000;
};

// Answers one message of the initiator.
class Responder {
 public:
  Responder(std::shared_ptr<const ItemSet> items, Options options);
  core::Result<std::string, BadMessage> respond(std::string_view message) const;

 private:
  std::shared_ptr<const ItemSet> items_;
  Options options_;
};

// Starts, and learns what each side lacks.
class Initiator {
 public:
  Initiator(std::shared_ptr<const ItemSet> items, Options options);

  std::string initial_message() const;

  struct Step {
    std::vector<Id> have;             // here and not there
    std::vector<Id> need;             // there and not here
    std::optional<std::string> next;  // to send; nullopt when finished
  };
  // After a failure the reconciliation is over.
  core::Result<Step, BadMessage> reconcile(std::string_view message);

 private:
  void learn(const Section& section, const IdList& theirs, Step& step);

  std::shared_ptr<const ItemSet> items_;
  Options options_;
  std::vector<bool> reported_;  // by index in items_: told as `have`
  std::set<Id> needed_;         // told as `need`
};

}  // namespace graspd::negentropy
