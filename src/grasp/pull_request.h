// A pull request or an update of one (NIP-34, kinds 1618 and 1619) as a value.
//
//   R1  Its repositories are the `a` tags of kind 30617 with a valid identifier, each once, in
//       order; at most kRepositoriesMax, because each is looked up.
//   R2  The first `c` counts. If there is none, that is final. If it is not an object id, the
//       commit never arrives: the value never reaches git.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "git/oid.h"
#include "grasp/coordinate.h"
#include "nostr/event.h"

namespace graspd::grasp {

namespace kinds {
inline constexpr nostr::Kind kPullRequest{1618}, kPullRequestUpdate{1619};
}  // namespace kinds

// Pull requests name one repository, or one per maintainer.
inline constexpr std::size_t kRepositoriesMax = 64;

struct PullRequest {
  nostr::EventId id;
  nostr::PublicKey author;
  core::UnixSeconds created_at = 0;
  std::vector<Coordinate> repositories;
  bool has_c = false;
  std::optional<git::Oid> commit;
  std::vector<std::string> clone;        // as written, not validated
  std::optional<nostr::EventId> parent;  // the pull request that an update (1619) updates

  bool operator==(const PullRequest&) const = default;
};

PullRequest parse_pull_request(const nostr::Event& event);

}  // namespace graspd::grasp
