// What is known of a relay beyond one connection (RelaySyncIndex, sync.md §3).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sync/health.h"
#include "sync/job.h"
#include "sync/lost_ids.h"
#include "sync/meter.h"
#include "sync/recent_answers.h"

namespace graspd::sync {

// Of the ids in the last reconciled sets, those that concern repositories that name the relay, and
// how many of them it has.
struct Coverage {
  std::uint64_t has = 0, all = 0;
};

// A filter that is read once.
struct OnceRead {
  Slice slice;
  Window window;
};

struct RelayMemory {
  RelayId id;
  nostr::RelayUrl url;
  bool bootstrap = false;

  Health health;
  Lessons lessons;
  std::optional<PeerInformation> information;
  std::optional<core::Instant> information_read_at;

  std::vector<OnceRead> once;                 // read instead of following anything
  std::optional<core::UnixSeconds> fresh_at;  // the last fresh start
  Items confirmed;
  ReadValues read;  // since then, with an end and through the intake: what confirmed stands on
  bool announcements_synced = false;
  std::optional<core::UnixSeconds> last_alive;  // when it was heard, or its socket open
  std::optional<core::UnixSeconds> last_event;  // the last matching event received
  bool read_as_grasp = false;                   // with states among the announcements
  std::optional<core::UnixSeconds> dark_since;  // live did not bring all when it was left
  std::optional<core::Instant> disconnected_at;
  std::optional<core::UnixSeconds> historic_completed_at;
  std::vector<Batch> interrupted;  // unfinished when the connection was lost (§6.3)
  LostIds lost;
  std::uint64_t ids_given_up = 0;  // since the last fresh start

  AnswerSize answers;
  RecentAnswers recent_answers;
  std::vector<nostr::EventId> given;  // a few events that it has: to ask for together
  std::uint32_t rechecks = 0;         // of all, for want of a proof; the next one:
  std::optional<core::Instant> recheck_at;
  std::uint32_t distrusts = 0;  // what it gave did not add up: read anew, so often of late
  std::optional<core::Instant> distrusted_at;
  std::optional<core::Instant> reread_at;  // then, also on another connection
  bool gives_many = false;                 // by id, in one answer: at least kCapMin
  std::map<RequestClass, core::Instant> policy_until;
  std::map<std::pair<FilterClass, std::uint32_t>, core::Instant> parked;  // filters, 24 h
  std::optional<core::Instant> unpark_at;                                 // the first of them
  bool split_classes = false;
  bool negentropy_refusal_logged = false;

  core::Duration uptime{};             // of earlier connections
  std::optional<DialProblem> problem;  // of the last dial, while it is the last word

  Coverage coverage;
  bool coverage_logged = false;
  RelayMeter meter;
  bool dirty = false;  // differs from what was saved

  bool is_paused(RequestClass request_class, core::Now now) const {
    const auto pause = policy_until.find(request_class);
    return pause != policy_until.end() && pause->second > now.instant;
  }
  Excluded parked_values() const {
    Excluded out;
    for (const auto& [value, until] : parked) out.insert(value);
    return out;
  }
  // It is missing until it comes again, and nobody asks for it but by its id.
  void lose(const nostr::EventId& event, core::Instant retry_at) {
    dirty = true;
    if (!lost.add(event, retry_at)) ++ids_given_up;
  }
};

}  // namespace graspd::sync
