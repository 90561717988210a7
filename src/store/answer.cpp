#include "store/answer.h"

#include "core/check.h"

namespace graspd::store {

nostr::Answer answer_to(Outcome outcome) {
  constexpr auto kRefused = nostr::Outcome::Refused;
  switch (outcome) {
    case Outcome::Stored:
      return {nostr::Outcome::Stored, true, ""};
    case Outcome::Duplicate:
      return {nostr::Outcome::Known, true, "duplicate: already have this event"};
    case Outcome::Superseded:
      return {kRefused, true, "duplicate: superseded by a newer event"};
    case Outcome::Deleted:
      return {kRefused, false, "blocked: this event is deleted"};
    case Outcome::Vanished:
      return {kRefused, false, "blocked: the author asked to vanish"};
    case Outcome::Expired:
      return {kRefused, false, "blocked: event is expired"};
  }
  CHECK(false);
}

}  // namespace graspd::store
