// Versions dated further ahead than the relay's admission allows.
//
// Rule numbers are those of grasp/policy.h.
#include <algorithm>
#include <limits>

#include "core/log.h"
#include "grasp/policy_loader.h"
#include "nostr/json.h"

namespace graspd::grasp {

// Nobody could publish anything newer of the same address until their time comes.
core::Result<core::Done, store::StoreError> PolicyLoader::forget_what_is_ahead(
    const store::Snapshot& here, core::UnixSeconds now) {
  if (state_.rules().options().created_at_ahead == 0) return core::Done{};
  for (const history::Past& past : history::all(here))
    if (state_.rules().is_too_far_ahead(past.version.created_at, now))
      owed_.put_note(past.note(std::nullopt));
  nostr::Filter ahead;
  ahead.since = now + state_.rules().options().created_at_ahead + 1;
  store::Cursor cursor({ahead}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) {
    const auto event = nostr::JsonReader().event(found.json);
    if (!event) return;
    core::log::warn("the event {} of kind {} is dated too far ahead ({}): it is removed",
                    event->id.hex(), event->kind.value, event->created_at);
    ahead_.insert(event->id);
    const bool is_request =
        event->kind == nostr::kinds::kDeletion || event->kind == nostr::kinds::kVanish;
    is_request ? relisting_.add(store::Revoke{event->id})
               : relisting_.add(store::Remove{event->id});
    if (history::is_kept(event->kind)) restore_before(*event, here, now);
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

nostr::WireEventPtr PolicyLoader::newest_before(const history::Past& gone,
                                                const store::Snapshot& here,
                                                core::UnixSeconds now) const {
  auto versions = history::of(here, gone.kind, gone.coordinate);
  for (; !versions.empty(); versions.pop_back()) {
    if (state_.rules().is_too_far_ahead(versions.back().version.created_at, now)) continue;
    const auto wire = history::find(here, versions.back());
    const auto outcome = wire ? here.judge(*wire, now) : store::Outcome::Expired;
    // It gives way to the version that goes, and to nothing else.
    if (outcome && (*outcome == store::Outcome::Superseded || *outcome == store::Outcome::Stored))
      return wire;
  }
  return nullptr;
}

void PolicyLoader::restore_before(const nostr::Event& ahead, const store::Snapshot& here,
                                  core::UnixSeconds now) {
  const auto gone = history::past_of(ahead);
  if (!gone) return;
  relisting_.add(AlignGroup{gone->coordinate.identifier});
  const auto before = newest_before(*gone, here, now);
  const auto is_unwelcome_version = [&] {
    if (ahead.kind != kinds::kAnnouncement) return false;
    const auto announced = state_.rules().read_announcement(before->event);
    return announced && state_.rules().is_unwelcome(*announced);
  };
  Transition changes;
  if (before && !is_unwelcome_version()) {
    relisting_.add(store::Restore{before});
    relisting_.put_note(history::past_of(before->event)->note(std::nullopt));
    state_.apply_stored(before->event, changes);
  } else if (ahead.kind == kinds::kAnnouncement) {
    state_.removals.schedule(gone->coordinate, now + state_.rules().options().removal_grace,
                             changes);
  }
  relisting_.append(std::move(changes));
}

}  // namespace graspd::grasp
