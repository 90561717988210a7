#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "grasp/deletion_scope.h"
#include "grasp/policy.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::size_t kTargetsMax = 2048;

std::size_t targets(const nostr::Event& deletion) {
  return static_cast<std::size_t>(
      std::count_if(deletion.tags.begin(), deletion.tags.end(),
                    [](nostr::Tag tag) { return tag.name() == "e" || tag.name() == "a"; }));
}

bool is_pull(nostr::Kind kind) {
  return kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate;
}

}  // namespace

Verdict Policy::deletion(const Call& call) {
  if (targets(call.event) > kTargetsMax)
    return Refuse{"invalid: too many deletion targets", Reason::Invalid};
  std::vector<PullRequest> pulls;
  for (const nostr::EventId& id : nostr::requested_deletions(call.event).ids) {
    const auto json = call.here.find_json(id);
    if (!json) continue;
    auto target = nostr::JsonReader().event(*json);
    if (!target) continue;
    if (target->pubkey != call.event.pubkey)
      return Refuse{"invalid: cannot delete event authored by another pubkey", Reason::Invalid};
    if (is_pull(target->kind)) pulls.push_back(parse_pull_request(*target));
  }
  for (const PullRequest& pull : pulls) call.changes.add(DropPullRefs::of(pull));
  record_intent(call);
  if (!is_at_home(call.event.pubkey) && !names_something_here(call)) keep_in(requests_, call);
  return Take{};
}

Verdict Policy::vanish(const Call& call) {
  record_intent(call);
  if (is_stranger(call)) keep_in(requests_, call);
  if (!options_.relay || !nostr::asks_to_vanish_from(call.event, *options_.relay)) return Take{};
  nostr::Filter pulls;
  pulls.authors = {{call.event.pubkey}};
  pulls.kinds = {{kinds::kPullRequest, kinds::kPullRequestUpdate}};
  pulls.until = call.event.created_at;
  store::Cursor cursor({pulls}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) {
    if (const auto pull = nostr::JsonReader().event(found.json))
      call.changes.add(DropPullRefs::of(parse_pull_request(*pull)));
  };
  for (;;) {
    const auto read = call.here.read(cursor, {}, call.now, visit);
    if (!read) return Refuse{fmt::format("error: {}", store::describe(read.error()))};
    if (*read == store::ReadState::Finished) return Take{};
  }
}

// Only what the signer wrote, waiting or served: nobody else's views and states are touched.
void Policy::apply_deletion(const nostr::Event& request, core::UnixSeconds now,
                            Transition& changes) {
  const DeletionScope reach(request, options_.relay);
  const nostr::PublicKey& who = request.pubkey;
  for (const Coordinate& owned : reached_announcements(request)) {
    const Listing& listing = *catalog_.find(owned);
    // The store refuses what an address names; an older version is not named by an id.
    const bool is_named = reach.names(listing.announcement.id);
    if (is_named) raise_newest_seen(owned, listing.version(), listing.place, now, changes);
    if (!is_named && listing.place == Place::Served) end_threads(listing, now, changes);
    forget_announcement(owned, now, changes);
  }
  for (const Coordinate& key : purgatory_.states_of(who)) {
    const RepoState& held = purgatory_.state(key)->state;
    if (reach.covers(held.id, held.created_at, key.state_address(who)))
      forget_waiting_state(key, changes);
  }
  for (const nostr::EventId& id : purgatory_.pulls_of(who))
    if (reach.covers(id, purgatory_.pull(id)->pull.created_at, std::nullopt))
      purgatory_.drop_pull(id, changes);
  for (const nostr::WireEventPtr& wire : orphans_.events_of(who)) {
    const nostr::Event& event = wire->event;
    if (reach.covers(event.id, event.created_at, nostr::address_of(event)))
      orphans_.leave(event.id, changes);
  }
  for (const auto& [identifier, version] : catalog_.states_of(who)) {
    const Coordinate key{who, identifier};
    if (!reach.covers(version.id, version.created_at, key.state_address(who))) continue;
    if (reach.names(version.id)) raise_newest_state(key, version, now, changes);
    forget_served_state(key, changes);
  }
}

std::vector<Coordinate> Policy::reached_announcements(const nostr::Event& request) const {
  const DeletionScope reach(request, options_.relay);
  std::vector<Coordinate> reached = catalog_.of_owner(request.pubkey);
  std::erase_if(reached, [&](const Coordinate& owned) {
    const Announcement& announced = catalog_.find(owned)->announcement;
    return !reach.covers(announced.id, announced.created_at, owned.announcement_address());
  });
  return reached;
}

// What must not be lost when the server dies between the request and the obedience goes with the
// request, in one transaction. The rest can be told from the store.
void Policy::record_intent(const Call& call) {
  const DeletionScope reach(call.event, options_.relay);
  for (const Coordinate& owned : reached_announcements(call.event)) {
    const Listing& listing = *catalog_.find(owned);
    const bool is_named = reach.names(listing.announcement.id);
    const bool comes_back =
        is_named && listing.place == Place::Served &&
        bring_back({kinds::kAnnouncement, owned, listing.version()}, reach, call);
    if (listing.hosts && !comes_back)
      call.changes.put_note(removal_note(owned, removal_due(listing, call.now)));
    if (is_named && !is_too_far_ahead(listing.version().created_at, call.now))
      call.changes.put_note(newest_seen_note(owned, listing.version()));
  }
  for (const auto& [identifier, version] : catalog_.states_of(call.event.pubkey)) {
    if (!reach.names(version.id)) continue;
    const Coordinate key{call.event.pubkey, identifier};
    if (!is_too_far_ahead(version.created_at, call.now))
      call.changes.put_note(newest_state_note(key, version));
    bring_back({kinds::kState, key, version}, reach, call);
  }
  forget_history(reach, call);
}

// R10. The newest version before the one that goes, if it may still be here.
bool Policy::bring_back(const history::Past& deleted, const DeletionScope& reach,
                        const Call& call) const {
  auto versions = history::of(call.here, deleted.kind, deleted.coordinate);
  std::erase_if(versions, [&](const history::Past& past) {
    return !nostr::wins(deleted.version, past.version) ||
           reach.covers(past.version.id, past.version.created_at, past.address());
  });
  for (; !versions.empty(); versions.pop_back()) {
    const auto wire = history::find(call.here, versions.back());
    const auto outcome = wire ? call.here.judge(*wire, call.now) : store::Outcome::Expired;
    // It gives way to the version that is about to go, and to nothing else.
    if (!outcome || (*outcome != store::Outcome::Superseded && *outcome != store::Outcome::Stored))
      continue;
    if (!is_still_welcome(wire->event)) return false;
    call.changes.put_note(versions.back().note(std::nullopt));
    call.changes.add(store::Restore{wire});
    return true;
  }
  return false;
}

bool Policy::is_still_welcome(const nostr::Event& event) const {
  if (event.kind == kinds::kState) {
    const auto state = parse_state(event);
    return state && !catalog_.views_ruled_by(state->author, state->identifier).empty();
  }
  const auto announced = read_announcement(event);
  if (!announced || is_unwelcome(*announced)) return false;
  const Coordinate& key = announced->coordinate;
  return is_host_of(*announced) ||
         catalog_.is_wanted(key.owner, key.identifier, Catalog::By::ServedView);
}

void Policy::forget_history(const DeletionScope& reach, const Call& call) {
  for (const nostr::Kind kind : {kinds::kAnnouncement, kinds::kState})
    for (const history::Past& past : history::of_author(call.here, kind, call.event.pubkey))
      if (reach.covers(past.version.id, past.version.created_at, past.address()))
        call.changes.put_note(past.note(std::nullopt));
}

void Policy::forget_history(nostr::Kind kind, const Coordinate& coordinate,
                            Transition& changes) const {
  const auto here = store_.snapshot();
  if (!here) return;
  for (const history::Past& past : history::of(**here, kind, coordinate))
    changes.put_note(past.note(std::nullopt));
}

void Policy::keep_superseded(const Call& call) {
  const auto address = nostr::address_of(call.event);
  if (!history::is_kept(call.event.kind) || !address) return;
  const auto keep = [&](std::vector<store::Note> notes) {
    for (store::Note& note : notes) call.changes.put_note(std::move(note));
  };
  keep(history::succession(call.here, call.event));
  nostr::WireEventPtr& newest = versions_in_flight_[*address];
  const auto version = [](const nostr::Event& event) {
    return nostr::Version{event.created_at, event.id};
  };
  if (newest && !nostr::wins(version(call.event), version(newest->event))) return;
  if (newest) keep(history::keep(call.here, *newest));
  newest = call.wire;
}

// Another state may rule now, of the author's colleagues.
void Policy::forget_waiting_state(const Coordinate& key, Transition& changes) {
  call_end(purgatory_.state(key)->event->event);
  purgatory_.drop_state(key, changes);
  changes.add(AlignGroup{key.identifier});
}
void Policy::forget_served_state(const Coordinate& key, Transition& changes) {
  catalog_.erase_state(key.owner, key.identifier);
  expirations_.forget(kinds::kState, key, changes);
  changes.add(AlignGroup{key.identifier});
}

}  // namespace graspd::grasp
