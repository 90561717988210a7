#include "grasp/scheduled_removals.h"

#include "grasp/coordinate_note.h"

namespace graspd::grasp {

store::Note ScheduledRemovals::note(const Coordinate& coordinate,
                                    std::optional<core::UnixSeconds> due) {
  store::Note note{note::coordinate_key(kNotePrefix, coordinate), std::nullopt};
  if (due) note.value = std::to_string(*due);
  return note;
}

void ScheduledRemovals::schedule(const Coordinate& coordinate, core::UnixSeconds due,
                                 Transition& changes) {
  due_.insert_or_assign(coordinate, due);
  changes.put_note(note(coordinate, due));
}

void ScheduledRemovals::cancel(const Coordinate& coordinate, Transition& changes) {
  if (due_.erase(coordinate)) changes.put_note(note(coordinate, std::nullopt));
}

std::vector<Coordinate> ScheduledRemovals::take_due(core::UnixSeconds now, Transition& changes) {
  std::vector<Coordinate> taken;
  for (const auto& [coordinate, due] : due_)
    if (due <= now) taken.push_back(coordinate);
  for (const Coordinate& coordinate : taken) cancel(coordinate, changes);
  return taken;
}

bool ScheduledRemovals::restore(std::string_view key, std::string_view value) {
  const auto coordinate = note::parse_coordinate(key.substr(kNotePrefix.size()));
  if (coordinate) due_.insert_or_assign(*coordinate, note::leading_time(value));
  return coordinate.has_value();
}

void ScheduledRemovals::forget_note(std::string_view key) {
  if (const auto of = note::parse_coordinate(key.substr(kNotePrefix.size()))) due_.erase(*of);
}

std::vector<store::Note> ScheduledRemovals::notes() const {
  std::vector<store::Note> all;
  for (const auto& [coordinate, due] : due_) all.push_back(note(coordinate, due));
  return all;
}

}  // namespace graspd::grasp
