#include "grasp/revert.h"

#include "core/log.h"
#include "grasp/coordinate_note.h"
#include "grasp/purgatory_note.h"

namespace graspd::grasp {
namespace {

// What is decided about an announcement leaves at least one of these.
std::optional<Coordinate> announcement_of(const PolicyState& state, std::string_view key) {
  for (const std::string_view prefix :
       {std::string_view(note::kAnnouncementPrefix), ScheduledRemovals::kNotePrefix,
        ArchivedThreads::kNotePrefix, state.newest_announcements.prefix()})
    if (key.starts_with(prefix)) return note::parse_coordinate(key.substr(prefix.size()));
  return std::nullopt;
}

std::optional<std::string> stored_note(const store::Snapshot& here, const std::string& key) {
  std::optional<std::string> found;
  const auto visit = [&](std::string_view name, std::string_view value) {
    if (name == key) found = value;
  };
  if (!here.notes(key, visit)) core::log::error("cannot read the note {}", key);
  return found;
}

}  // namespace

void revert(PolicyState& state, const store::EventStore& store,
            std::span<const std::string> note_keys, const Transition& left, core::UnixSeconds now,
            Transition& changes) {
  const auto here = store.snapshot();
  if (!here) return core::log::error("cannot read the database: {}", store::describe(here.error()));
  const std::set<std::string> keys(note_keys.begin(), note_keys.end());
  std::set<Coordinate> announcements;
  for (const std::string& key : keys) {
    state.apply(key, stored_note(**here, key), changes);
    if (auto coordinate = announcement_of(state, key)) announcements.insert(*std::move(coordinate));
    // It was about to be decided: what it lacked is here, as far as anybody knows.
    if (const auto orphan = state.rejections.orphans().find(key))
      state.rejections.orphans().call_again(*orphan);
  }
  for (const Coordinate& coordinate : announcements) state.relist(coordinate, **here, now, changes);
  for (const Retry& retry : left.all<Retry>())
    state.rejections.orphans().call_again(retry.event->event.id);
}

}  // namespace graspd::grasp
