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

namespace graspd::sync {

struct Coverage {  // of the ids in the last reconciled sets, how many the relay has
  std::uint64_t has = 0, all = 0;
};

struct RelayMemory {
  RelayId id;
  nostr::RelayUrl url;
  bool bootstrap = false;

  Health health;
  Lessons lessons;
  std::optional<PeerInformation> information;
  std::optional<core::Instant> information_read_at;

  Items confirmed;
  bool announcements_synced = false;
  std::optional<core::UnixSeconds> last_alive;  // the last frame received
  std::optional<core::UnixSeconds> last_event;  // the last matching event received
  std::optional<core::UnixSeconds> dark_since;  // live did not bring all when it was left
  std::optional<core::Instant> disconnected_at;
  std::optional<core::UnixSeconds> historic_completed_at;
  std::vector<Batch> interrupted;  // unfinished when the connection was lost (§6.3)
  LostIds lost;
  std::uint64_t ids_given_up = 0;  // since the last fresh start

  AnswerSize answers;
  bool gives_many = false;  // by id, in one answer: at least kCapMin
  std::map<RequestClass, core::Instant> policy_until;
  std::map<std::pair<FilterClass, std::uint32_t>, core::Instant> parked;  // filters, 24 h
  bool split_classes = false;
  bool negentropy_refusal_logged = false;

  core::Duration uptime{};             // of earlier connections
  std::optional<DialProblem> problem;  // of the last dial, while it is the last word

  Coverage coverage;
  bool coverage_logged = false;
  RelayMeter meter;
  bool dirty = false;  // differs from what was saved
};

}  // namespace graspd::sync
