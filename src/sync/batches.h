// The batches of one connection, their jobs, and the ids that jobs wait for (sync.md §6).
//
//   R1  A job that is split, widened or read in another way stays whole: its parts together ask for
//       what it asked for.
//   R2  A refused question is asked with fewer values, then for less time. A batch is split by time
//       so often at most; what is called too large even then is paged.
//   R3  Failed batches of a kind become one: a relay that never gives some of it cannot pile them
//       up.
//   R4  A read that ended with seconds it could not take starts there again, not at the top.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sync/id_fetch_queue.h"
#include "sync/peer_context.h"
#include "sync/soonest.h"

namespace graspd::sync {

class Batches {
 public:
  // More new work than this waits and becomes one larger batch.
  static constexpr std::size_t kBusyMax = 8;

  explicit Batches(const PeerContext& peer) : peer_(peer) {}

  const std::map<std::uint32_t, Batch>& all() const { return batches_; }
  bool empty() const { return batches_.empty(); }
  Batch* find(std::uint32_t id);
  Job* find(JobKey key);
  Batch& at(std::uint32_t id) { return batches_.at(id); }
  std::uint32_t add(Batch batch);
  void erase(std::uint32_t id) { batches_.erase(id); }
  void drop(std::uint32_t id);  // unfinished: also the ids that it waits for
  std::optional<std::uint32_t> rotation() const;
  bool is_full() const;   // those that wait for their next try do not count
  Items pending() const;  // what will be confirmed
  // How many jobs are stuck, and how many are neither that nor done.
  struct Standing {
    std::size_t stuck = 0, busy = 0;
  };
  Standing standing(std::uint32_t id) const;

  // ---- a job ends
  void done(JobKey key);
  void stuck(core::Now now, JobKey key, const std::string& why);
  void again(JobKey key, core::Instant not_before);

  // ---- a job asks otherwise
  // Each filter by itself. `brought`: the filters that the sweep brought something for, a bit each.
  void expand(JobKey key, Job::Phase phase, Job::Method method, std::uint64_t brought = ~0ULL);
  void halve_values(JobKey key);  // of one filter with several
  // In two windows; false when it was split too often, or is a second.
  bool split_window(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle);
  void page_instead(JobKey key);
  void page_what_waits();  // for ids: what is not given by id may be given by filter
  void sweep_instead();    // of reconciling what is not on its way

  // ---- a batch ends, or does not
  void failed(std::uint32_t id, core::Instant retry_at);  // R3
  void retry_due(core::Now now);
  void retry_now(core::Now now);
  std::vector<Batch> interrupt();  // for a quick reconnect: what is left of each

  // ---- what changes for all of them
  void pay(const Slice& slice);  // whatever the time
  void forget(FilterClass filter_class, std::uint32_t id);
  void keep(const Items& target);
  std::vector<std::uint32_t> take(const Items& items);  // those that are pointless without them

  IdFetchQueue& ids() { return ids_; }
  const IdFetchQueue& ids() const { return ids_; }
  void add_due(Soonest& due) const;

 private:
  static void pay_all(const Job& job, Batch& batch);
  bool widen(Batch& batch, const Job& other);
  void join_failed(std::uint32_t id);
  void sweep_instead(Batch& batch) const;
  static void leave_rest(core::Now now, Job& job, Batch& batch);

  const PeerContext& peer_;
  std::map<std::uint32_t, Batch> batches_;
  std::uint32_t next_ = 1;
  IdFetchQueue ids_;
};

}  // namespace graspd::sync
