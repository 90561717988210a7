// What is to be fetched and for whom: the fetch scheduler, and what it was told.
//
//   R1  Actions are performed under the lock that they were decided under. So a Stop cannot
//       overtake the Fetch that it ends.
//   R2  What the scheduler had no space for is offered again when a fetch has ended.
//   R3  A damaged repository is fetched for until it is repaired, whatever else waits there.
//
// Thread-safety: from any thread. Perform must not call back.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "git/fetch_scheduler.h"
#include "serve/fetch/fetch_repair.h"
#include "serve/fetch/fetch_survey.h"
#include "sync/fetch_report.h"

namespace graspd::serve {

class FetchPlan {
 public:
  using Perform = std::function<void(const git::fetch::Action&)>;  // R1
  FetchPlan(git::fetch::Options options, Perform perform);

  void tell(const git::fetch::Input& input);
  // Nothing: it is not to be asked now.
  std::optional<git::fetch::Ticket> begin_visit(const git::FetchUrl& url);
  // Of an identifier and of a damaged repository: this is wanted, and nothing else.
  void set_wants(const grasp::Identifier& identifier, const std::vector<FetchWant>& wants);
  void set_repairs(const grasp::Coordinate& coordinate, const std::vector<RepairOrder>& orders);

  // What a fetch that runs needs to know.
  std::optional<grasp::Coordinate> repo_of(const git::fetch::RepoKey& repo) const;
  bool is_for_pulls_only(const grasp::Coordinate& coordinate) const;
  // What it has of the history cannot be believed.
  bool is_torn(const git::fetch::RepoKey& repo) const;
  std::vector<nostr::EventId> lost_pulls(const grasp::Coordinate& coordinate) const;
  std::vector<git::Oid> missing(const git::fetch::RepoKey& repo) const;

  // By the clock.
  struct Arriving {  // a waiting event whose data is being fetched
    grasp::Coordinate coordinate;
    nostr::EventId id;
  };
  void forget_what_no_longer_waits(const Hosting& hosting);
  std::vector<Arriving> arriving(std::size_t extensions_max) const;
  void extended(const std::vector<Arriving>& events);
  void forget_idle_repos();
  std::set<grasp::Identifier> take_offers();  // R2

  // For pages: of so many repositories, and of one.
  sync::Fetches fetches(std::size_t max) const;
  std::vector<sync::FetchStatus> fetches_of(const grasp::Coordinate& coordinate) const;
  git::fetch::Meter meter() const;
  struct Load {
    std::size_t running = 0, repositories = 0;
  };
  Load load() const;

 private:
  struct Told {
    grasp::Coordinate coordinate;
    git::fetch::Reason reason;
    bool ordered = false;                // R3
    std::optional<nostr::EventId> pull;  // ordered for the ref of this one
    std::size_t extensions = 0;
  };

  // With mutex_ held.
  void step(const git::fetch::Input& input);
  void want(const git::fetch::Wanted& wanted, Told told);
  void forget(const git::fetch::EventKey& event);

  const Perform perform_;
  mutable std::mutex mutex_;  // of everything below
  git::FetchScheduler scheduler_;
  std::map<git::fetch::EventKey, Told> told_;
  std::map<git::fetch::RepoKey, grasp::Coordinate> coordinates_;
  std::set<grasp::Identifier> put_off_;  // R2
  std::uint64_t ended_ = 0;              // fetches, by the time these were last offered
};

}  // namespace graspd::serve
