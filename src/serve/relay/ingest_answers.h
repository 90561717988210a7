// What the sender of an event is told, for the files of Ingest.
#pragma once
#include <string>
#include <string_view>

#include "core/check.h"
#include "serve/relay/ingest.h"

namespace graspd::serve {

struct IngestAnswer {
  Fate fate;
  bool accepted;
  std::string_view text;
};

inline IngestAnswer answer_to(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::Stored:
      return {Fate::Stored, true, ""};
    case store::Outcome::Duplicate:
      return {Fate::Known, true, "duplicate: already have this event"};
    case store::Outcome::Superseded:
      return {Fate::Refused, true, "duplicate: superseded by a newer event"};
    case store::Outcome::Deleted:
      return {Fate::Refused, false, "blocked: this event is deleted"};
    case store::Outcome::Vanished:
      return {Fate::Refused, false, "blocked: the author asked to vanish"};
    case store::Outcome::Expired:
      return {Fate::Refused, false, "blocked: event is expired"};
  }
  CHECK(false);
}

inline Decision decision(const Submission& submission, const nostr::EventId& id,
                         const IngestAnswer& answer) {
  return {submission.submitter,    id, submission.bytes, answer.fate, answer.accepted,
          std::string(answer.text)};
}

inline Decision decision(const Submission& submission, const IngestAnswer& answer) {
  return decision(submission, submission.event.id, answer);
}

}  // namespace graspd::serve
