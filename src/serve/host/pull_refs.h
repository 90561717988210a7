// refs/nostr of one repository: which are kept, and that they are not too many
// (grasp/pull_selection.h). Whoever uses this holds the repository's lock.
//
//   R1  What is done for one more pull request does not grow with those that are there: refs are
//       looked up by name, and counted in memory. All of them are read when the count exceeds the
//       bound, and then a sixteenth of them goes.
//   R2  The newest seen version is kept beside the refs, in a file of the repository: it goes where
//       they go.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grasp/pull_selection.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

class PullRefs {
 public:
  PullRefs(Hosting& hosting, grasp::Coordinate repo);

  // Those that get no ref here.
  std::set<nostr::EventId> unwanted(const std::vector<const grasp::PullRequest*>& pulls) const;
  bool is_closed(const grasp::PullRequest& pull) const;  // by a maintainer
  // The same for one, in words for whoever pushes it.
  std::optional<std::string> why_unwanted(const grasp::PullRequest& pull) const;

  void added(std::size_t count);
  // Whether there were any of them. Blocks.
  bool drop(const std::vector<nostr::EventId>& ids);
  // So many of the oldest strangers' ones. How many went.
  std::size_t drop_oldest(std::size_t count);
  // These look at all of them.
  std::size_t strangers() const;
  std::vector<git::Oid> tips_of_members() const;

 private:
  std::set<nostr::PublicKey> members() const;
  std::vector<grasp::PullEntry> entries() const;
  std::size_t carry_out(const grasp::PullSelection& selection);
  grasp::PullStatuses statuses(std::span<const grasp::PullRequest* const> pulls,
                               const std::set<nostr::PublicKey>& members) const;
  std::optional<grasp::NewestPull> newest_seen() const;
  void raise_newest_seen(const grasp::NewestPull& newest_seen) const;

  Hosting& hosting_;
  const grasp::Coordinate repo_;
};

}  // namespace graspd::serve
