// Selects the pull requests that have a ref in a repository: anybody may send them.
//
//   R1  Pull requests of members always have one.
//   R2  Pull requests that a maintainer closed (kind 1632, unless a later status of a maintainer
//       says otherwise) never have one: this is how maintainers remove them. The event stays, and
//       the git data is removed.
//   R3  The number of others is limited. Beyond it, a sixteenth is removed at once: first those
//       whose event is gone, then the oldest open ones, last the oldest that were merged.
//   R4  A removed pull request stays removed: open ones up to the newest removed one get no ref
//       any more (newest seen), no matter who pushes or has them. An update (kind 1619) counts as
//       newer.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "grasp/pull_request.h"
#include "nostr/replaceable.h"
#include "store/event_store.h"

namespace graspd::grasp {

namespace kinds {
inline constexpr nostr::Kind kStatusOpen{1630}, kStatusApplied{1631}, kStatusClosed{1632},
    kStatusDraft{1633};
}  // namespace kinds

bool is_status(nostr::Kind kind);

enum class PullStatus { Open, Applied, Closed };  // a draft is open

// What the maintainers said last, of those of `pulls` that they said something of. Of an update,
// what they said of the pull request that it updates.
using PullStatuses = std::map<nostr::EventId, PullStatus>;
core::Result<PullStatuses, store::StoreError> pull_statuses(
    std::span<const PullRequest* const> pulls, const std::set<nostr::PublicKey>& maintainers,
    const store::Snapshot& here, core::UnixSeconds now);

// R4
struct NewestPull {
  core::UnixSeconds created_at = 0;
  nostr::EventId id;

  bool covers(const PullRequest& pull) const;
  auto operator<=>(const NewestPull&) const = default;
};

struct PullEntry {
  nostr::EventId id;
  std::optional<PullRequest> pull;  // none: its event is gone
  bool is_members = false;          // R1
  PullStatus status = PullStatus::Open;
};

struct PullSelection {
  std::vector<nostr::EventId> dropped;    // in the order in which they go
  std::optional<NewestPull> newest_seen;  // the newest open one that went
  std::size_t strangers_left = 0;
};

// R3. `max`: of strangers.
PullSelection select_pulls(std::vector<PullEntry> entries, std::size_t max);
// So many of the strangers' ones go, as far as there are any.
PullSelection drop_pulls(std::vector<PullEntry> entries, std::size_t count);

}  // namespace graspd::grasp
