// What the sender of an event is told, for the files of Ingest.
#pragma once
#include <string>

#include "serve/relay/ingest.h"
#include "store/answer.h"

namespace graspd::serve {

using store::answer_to;

inline Decision decision(const Submission& submission, const nostr::EventId& id,
                         const nostr::Answer& answer) {
  return {submission.submitter,    id, submission.bytes, answer.outcome, answer.accepted,
          std::string(answer.text)};
}

inline Decision decision(const Submission& submission, const nostr::Answer& answer) {
  return decision(submission, submission.event.id, answer);
}

}  // namespace graspd::serve
