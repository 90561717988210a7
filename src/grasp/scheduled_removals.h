// Repositories that are out of service, and when their data is removed.
//
//   R1  One note each: removal/<owner>/<identifier> = "<time>".
//   R2  A repository that is served again in time keeps its data. One that only waits again keeps
//       it until then.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "core/time.h"
#include "grasp/transition.h"

namespace graspd::grasp {

class ScheduledRemovals {
 public:
  static constexpr std::string_view kNotePrefix = "removal/";

  void schedule(const Coordinate& coordinate, core::UnixSeconds due, Transition& changes);
  void cancel(const Coordinate& coordinate, Transition& changes);
  bool contains(const Coordinate& coordinate) const { return due_.contains(coordinate); }
  // Known from what a crash left, and written down nowhere: it is found again at every start.
  void schedule_unless_known(const Coordinate& coordinate, core::UnixSeconds due) {
    due_.insert(coordinate, due);
  }
  std::vector<Coordinate> take_due(core::UnixSeconds now, Transition& changes);

  // nullopt: of one that is cancelled or done.
  static store::Note note(const Coordinate& coordinate, std::optional<core::UnixSeconds> due);
  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them

 private:
  core::PersistentMap<Coordinate, core::UnixSeconds> due_;
};

}  // namespace graspd::grasp
