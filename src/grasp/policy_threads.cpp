// R12: what hung on announcements that are gone.
#include <fmt/format.h>

#include "grasp/policy.h"

namespace graspd::grasp {
namespace {

// What is being done is not asked for again at every sweep.
constexpr core::UnixSeconds kThreadsPatience = 3600;

}  // namespace

store::Note threads_note(const Coordinate& coordinate, const std::optional<ThreadsTerm>& term) {
  store::Note note{
      fmt::format("threads/{}/{}", coordinate.owner.hex(), coordinate.identifier.text()),
      std::nullopt};
  if (term) note.value = fmt::format("{} {}", term->due, term->announcement.hex());
  return note;
}

void Policy::end_threads(const Listing& gone, core::UnixSeconds now, Transition& changes) {
  const Coordinate& coordinate = gone.announcement.coordinate;
  const ThreadsTerm term{now + options_.removal_grace, gone.announcement.id};
  ended_threads_.insert_or_assign(coordinate, term);
  changes.put_note(threads_note(coordinate, term));
  changes.add(ArchiveThreads{{coordinate, term.announcement}});
}

void Policy::recall_threads(const Coordinate& back, Transition& changes) const {
  if (ended_threads_.contains(back)) changes.add(RestoreThreads{back});
}

void Policy::resume_threads(Transition& changes) const {
  for (const auto& [coordinate, term] : ended_threads_) {
    if (catalog_.find(coordinate))
      changes.add(RestoreThreads{coordinate});
    else
      changes.add(ArchiveThreads{{coordinate, term.announcement}});
  }
}

void Policy::threads_settled(const Coordinate& coordinate, Transition& changes) {
  if (ended_threads_.erase(coordinate) > 0)
    changes.put_note(threads_note(coordinate, std::nullopt));
}

void Policy::states_ended(const std::vector<Coordinate>& states, Transition& changes) {
  for (const Coordinate& key : states) forget_served_state(key, changes);
}

void Policy::expire_threads(core::UnixSeconds now, Transition& changes) {
  for (auto& [coordinate, term] : ended_threads_) {
    if (term.due > now || catalog_.find(coordinate)) continue;
    changes.add(ForgetThreads{coordinate});
    term.due = now + kThreadsPatience;
  }
}

}  // namespace graspd::grasp
