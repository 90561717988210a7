// The policy's state as notes tell it.
#include <fmt/format.h>

#include "grasp/coordinate_note.h"
#include "grasp/policy_state.h"

namespace graspd::grasp {

bool PolicyState::apply(std::string_view key, std::optional<std::string_view> value,
                        Transition& changes) {
  const auto read = [&](auto& part) {
    part.forget_note(key);
    return !value || part.restore(key, *value);
  };
  if (key.starts_with(Purgatory::kNotePrefix)) return read(purgatory);
  if (key.starts_with(Expirations::kNotePrefix)) return read(expirations);
  if (key.starts_with(RejectedIds::kNotePrefix)) return read(rejections.ids());
  if (key.starts_with(ScheduledRemovals::kNotePrefix)) return read(removals);
  if (key.starts_with(ArchivedThreads::kNotePrefix)) return read(threads);
  if (key.starts_with(DeletionRequests::kNotePrefix)) return read(requests);
  for (NewestSeen* newest : {&newest_announcements, &newest_states})
    if (key.starts_with(newest->prefix())) return read(*newest);
  for (StrangerPool* pool : {&stranger_requests, &stranger_lists})
    if (key.starts_with(pool->prefix())) return read(*pool);
  if (!key.starts_with(OrphanPool::kNotePrefix)) return false;
  rejections.orphans().forget_note(key);
  return !value || rejections.orphans().restore(key, *value, changes);
}

std::map<std::string, std::string> PolicyState::contents() const {
  std::map<std::string, std::string> all;
  const auto add = [&](std::vector<store::Note> notes) {
    for (store::Note& note : notes) all.emplace(std::move(note.key), *std::move(note.value));
  };
  add(purgatory.notes());
  add(expirations.notes());
  add(rejections.ids().notes());
  add(rejections.orphans().notes());
  add(removals.notes());
  add(threads.notes());
  add(requests.notes());
  add(newest_announcements.notes());
  add(newest_states.notes());
  add(stranger_requests.notes());
  add(stranger_lists.notes());
  catalog.each([&](const Listing& listing) {
    all.emplace(note::coordinate_key("listing/", listing.announcement.coordinate),
                fmt::format("{} {} {}", listing.announcement.id.hex(),
                            listing.place == Place::Served ? "served" : "waiting", listing.hosts));
  });
  catalog.each_state([&](const Coordinate& key, const nostr::Version& version) {
    all.emplace(note::coordinate_key("state/", key), version.id.hex());
  });
  return all;
}

}  // namespace graspd::grasp
