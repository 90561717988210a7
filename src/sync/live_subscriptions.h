// What a relay sends as it is published: which filters are live on it (LiveGroups), which take
// turns (Rotation), and what becomes of those that it refuses (sync.md §5).
//
//   R1  Nothing is asked for before a plan was made.
//   R2  What replaces a group reads what that group missed, and what rotated until then.
//   R3  A group that is refused for one of its values is halved until the value stands alone; that
//       value is parked. Halves stay as they are and leave space for what is planned: those that
//       take more than half of it rotate.
//   R4  When what is not wanted any more makes up a quarter of what is asked for, a new plan leaves
//       it out.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sync/live_groups.h"
#include "sync/live_plan.h"
#include "sync/refusals.h"

namespace graspd::sync {

class LiveSubscriptions {
 public:
  LiveSubscriptions(PeerContext& peer, Wires& wires, Refusals& refusals,
                    const ReadingPauses& reading, GapReader& history, core::Now now);

  void follow(core::Now now, const Items& items);  // and plans
  bool grow(const Items& items);                   // true: a new plan is due
  bool shrink_to(const Items& target);             // the same (R4)
  void replan(core::Now now);                      // R1

  LiveGroups& groups() { return groups_; }
  const LiveGroups& groups() const { return groups_; }
  std::optional<RotationTurn> take_turn(core::Now now) { return rotation_.take_turn(now); }
  void turn_ended(core::Now now, core::UnixSeconds started, const ReadValues& read) {
    rotation_.turn_ended(now, started, read);
  }

  // A group that the relay refuses: for one of its values (R3), or as a class of requests. The
  // latter is true when the group has several classes: first find out which it is.
  void split(core::Now now, std::uint32_t id);
  bool split_classes(core::Now now, std::uint32_t id);
  RequestClass class_of(std::uint32_t id) const;

  bool is_rotation_late(core::Now now) const { return rotation_.is_late(now); }
  // Since when live, or what rotates in its place, did not bring all.
  std::optional<core::UnixSeconds> dark_since(core::Now now) const;
  void add_due(Soonest& due) const;
  const LivePlan& plan() const { return plan_; }
  void check_books() const;  // whatever is followed comes live, or rotates, or was refused

 private:
  Excluded not_planned() const;   // parked, or open by hand
  Budget planned_budget() const;  // without what is open by hand
  void rotate_by_hand(core::Now now);
  void make_plan(core::Now now);
  void halve(std::uint32_t id);

  PeerContext& peer_;
  SessionContext& context_;
  RelayMemory& memory_;
  Refusals& refusals_;
  const ReadingPauses& reading_;
  GapReader& history_;
  Rotation rotation_;
  LiveGroups groups_;
  std::vector<Group> by_hand_rotating_;
  Items items_;
  LivePlan plan_;
  bool has_plan_ = false;
};

}  // namespace graspd::sync
