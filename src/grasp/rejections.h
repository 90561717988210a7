// What becomes of events that were refused: kept whole in the orphan pool while they lack something
// (grasp/orphan_pool.h), remembered by id when a peer sent them (grasp/rejected_ids.h).
//
//   R1  What is refused for our own trouble or for lack of space is not remembered.
//   R2  When something arrives, or ends, those that waited for it are called: the whole ones are
//       tried again, the others are asked for where they were found.
//   R3  Calls are answered in parts: one arrival leads to kRetriesMax new decisions at most, the
//       others follow with later arrivals and sweeps.
#pragma once
#include <string>
#include <vector>

#include "grasp/orphan_pool.h"
#include "grasp/rejected_ids.h"
#include "grasp/transition.h"

namespace graspd::grasp {

class Rejections {
 public:
  static constexpr std::size_t kRetriesMax = 512, kForgottenMax = 4'096;

  Rejections(const OrphanPoolLimits& orphans, const RejectedLimits& ids)
      : orphans_(orphans), ids_(ids) {}

  // `reason` is why it is not served; None: it is taken, and forgotten here.
  void remember(const nostr::WireEventPtr& wire, const Origin& origin, Reason reason,
                core::UnixSeconds now, Transition& changes);
  void call(const std::string& key);  // R2
  void call(const std::vector<std::string>& keys);
  void answer_calls(Transition& changes);  // R3
  void expire(core::UnixSeconds now, Transition& changes);
  RejectedMeter meter() const;

  OrphanPool& orphans() { return orphans_; }
  const OrphanPool& orphans() const { return orphans_; }
  RejectedIds& ids() { return ids_; }
  const RejectedIds& ids() const { return ids_; }

 private:
  OrphanPool orphans_;
  RejectedIds ids_;
  RejectedMeter meter_;  // of what neither of them counts
};

}  // namespace graspd::grasp
