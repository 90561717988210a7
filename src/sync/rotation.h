// What does not fit live is asked for in turns (sync.md §5).
//
//   R1  A turn reads everything that rotates, from where the last whole turn began, with an
//       overlap. Turns begin at least `rotation_min` apart.
//   R2  What came to the rotation while a turn was under way was not read: the next turn begins at
//       once, and where this one began.
//   R3  Whatever begins to rotate, or was missed, moves the beginning back to when it was last
//       heard. A turn that is under way begins too late then and is dropped.
//   R4  What rotates is behind by kLate at most, or is not called complete.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "sync/dark_classes.h"
#include "sync/ledger.h"
#include "sync/options.h"
#include "sync/soonest.h"
#include "sync/window.h"

namespace graspd::sync {

// What live subscriptions ask of whoever reads history.
class GapReader {
 public:
  virtual ~GapReader() = default;
  virtual bool is_rotating() const = 0;  // a turn is under way
  virtual void drop_turn() = 0;
  // The relay refuses the value: it counts as read for a while.
  virtual void park(core::Now now, FilterClass filter_class, std::uint32_t id) = 0;
};

struct RotationTurn {
  std::vector<Group> groups;
  Window window;
};

class Rotation {
 public:
  static constexpr core::Duration kLate = std::chrono::minutes(5);

  Rotation(const Options& options, GapReader& reader, core::Now now);

  void set(std::vector<Group> groups) { groups_ = std::move(groups); }
  bool is_empty() const { return groups_.empty(); }
  void move_back(core::UnixSeconds heard_until);  // R3
  void missed(const DarkClasses& dark);
  // What rotates is not heard live: only until then.
  DarkClasses dark() const;
  std::optional<core::UnixSeconds> read_until() const;  // nullopt: nothing rotates
  bool is_late(core::Now now) const;                    // R4

  std::optional<RotationTurn> take_turn(core::Now now);  // R1
  void turn_ended(core::Now now, core::UnixSeconds started, const ReadValues& read);
  void add_due(Soonest& due) const;

 private:
  GapReader& reader_;
  const core::UnixSeconds overlap_;
  const core::Duration turn_min_;
  std::vector<Group> groups_;
  core::UnixSeconds since_;
  core::Instant next_turn_;
};

}  // namespace graspd::sync
