// What happens to rejected events: orphans are kept whole in the orphan pool (grasp/orphan_pool.h),
// and the ids of those that a peer sent are remembered (grasp/rejected_ids.h).
//
//   R1  An event rejected because of our own failure or for lack of space is not remembered.
//   R2  When a dependency arrives or goes, the events that waited for it are processed: orphans are
//       decided again, the others are requested from the relay that had them.
//   R3  This happens in parts: one arrival leads to at most kRetriesMax new decisions; the others
//       follow with later arrivals and sweeps.
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
