// The ids that one connection still has to fetch, and the jobs that wait for them (sync.md §6.1).
//
//   R1  An id is requested once, however many reconciliations found it missing.
//   R2  Ids are checked off one by one. An id that an answer leaves out is requested once more;
//       then it is lost.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "nostr/keys.h"
#include "sync/job.h"

namespace graspd::sync {

class IdFetchQueue {
 public:
  // True when the id is newly wanted by this job.
  bool want(JobKey job, const nostr::EventId& id);
  // Up to `max` ids to ask for now.
  std::vector<nostr::EventId> take(std::size_t max);
  // Asked, refused, not answered at all: they go back without counting as tried.
  void put_back(const std::vector<nostr::EventId>& ids);
  // Asked and left out: those that may be asked for once more go back; returns the lost.
  std::vector<nostr::EventId> left_out(const std::vector<nostr::EventId>& ids);
  // Those who waited for it.
  std::vector<JobKey> settle(const nostr::EventId& id);
  // Who wanted it first.
  std::optional<JobKey> wanted_by(const nostr::EventId& id) const;
  void forget(JobKey job);  // it reads otherwise now

  bool has_work() const { return !queue_.empty(); }
  std::size_t queued() const { return queue_.size(); }
  bool wants(const nostr::EventId& id) const { return wanted_.contains(id); }

 private:
  struct Want {
    std::vector<JobKey> jobs;
    bool asked_before = false;
    bool queued = true;
  };
  std::map<nostr::EventId, Want> wanted_;
  std::deque<nostr::EventId> queue_;
};

}  // namespace graspd::sync
