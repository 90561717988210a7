#include <algorithm>
#include <fmt/format.h>
#include <limits>

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

// What a request takes of its signer's events: a deletion (kind 5) what it names, a request to
// vanish from here (kind 62) everything up to its time.
class Reach {
 public:
  Reach(const nostr::Event& request, const std::optional<nostr::RelayUrl>& here)
      : until_(request.created_at), asked_(nostr::requested_deletions(request)) {
    all_ = here && nostr::asks_to_vanish_from(request, *here);
    ids_.insert(asked_.ids.begin(), asked_.ids.end());
  }

  bool names(const nostr::EventId& id) const { return ids_.contains(id); }
  bool covers(const nostr::EventId& id, core::UnixSeconds created_at,
              const std::optional<nostr::Address>& address) const {
    if (names(id)) return true;
    const bool named = address && std::ranges::count(asked_.addresses, *address) > 0;
    return created_at <= until_ && (all_ || named);
  }

 private:
  const core::UnixSeconds until_;
  const nostr::Deletions asked_;
  bool all_ = false;
  std::set<nostr::EventId> ids_;
};

}  // namespace

void lose_pull(const PullRequest& pull, Changes& changes) {
  changes.lost_pulls.push_back(pull.id);
  changes.lost_pulls_by.insert(pull.author);
  for (const Coordinate& repository : pull.repositories)
    changes.lost_pulls_in.insert(repository.identifier);
}

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
  for (const PullRequest& pull : pulls) lose_pull(pull, call.changes);
  foretell(call);
  return Take{};
}

Verdict Policy::vanish(const Call& call) {
  foretell(call);
  if (!options_.relay || !nostr::asks_to_vanish_from(call.event, *options_.relay)) return Take{};
  nostr::Filter pulls;
  pulls.authors = {{call.event.pubkey}};
  pulls.kinds = {{kinds::kPullRequest, kinds::kPullRequestUpdate}};
  pulls.until = call.event.created_at;
  store::Cursor cursor({pulls}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) {
    if (const auto pull = nostr::JsonReader().event(found.json))
      lose_pull(parse_pull_request(*pull), call.changes);
  };
  for (;;) {
    const auto read = call.here.read(cursor, {}, call.now, visit);
    if (!read) return Refuse{fmt::format("error: {}", store::describe(read.error()))};
    if (*read == store::ReadState::Finished) return Take{};
  }
}

// Only what the signer wrote, waiting or served: nobody else's views and states are touched.
void Policy::obey(const nostr::Event& request, core::UnixSeconds now, Changes& changes) {
  const Reach reach(request, options_.relay);
  const nostr::PublicKey& who = request.pubkey;
  for (const Coordinate& owned : reached_announcements(request)) {
    const Listing& listing = *catalog_.find(owned);
    // The store refuses what an address names; an older version is not named by an id.
    if (reach.names(listing.announcement.id))
      raise_floor(owned, listing.version(), listing.place, changes);
    forget_announcement(owned, now, changes);
  }
  for (const Coordinate& key : purgatory_.states_of(who)) {
    const RepoState& held = purgatory_.state(key)->state;
    if (reach.covers(held.id, held.created_at, key.state_address(who)))
      forget_waiting_state(key, changes);
  }
  for (const nostr::EventId& id : purgatory_.pulls_of(who))
    if (reach.covers(id, purgatory_.pull(id)->pull.created_at, std::nullopt))
      purgatory_.drop_pull(id, changes.notes);
  for (const nostr::WireEventPtr& wire : room_.events_of(who)) {
    const nostr::Event& event = wire->event;
    if (reach.covers(event.id, event.created_at, nostr::address_of(event)))
      room_.leave(event.id, changes.notes);
  }
  for (const auto& [identifier, version] : catalog_.states_of(who)) {
    const Coordinate key{who, identifier};
    if (reach.covers(version.id, version.created_at, key.state_address(who)))
      forget_served_state(key, changes);
  }
}

std::vector<Coordinate> Policy::reached_announcements(const nostr::Event& request) const {
  const Reach reach(request, options_.relay);
  std::vector<Coordinate> reached = catalog_.of_owner(request.pubkey);
  std::erase_if(reached, [&](const Coordinate& owned) {
    const Announcement& announced = catalog_.find(owned)->announcement;
    return !reach.covers(announced.id, announced.created_at, owned.announcement_address());
  });
  return reached;
}

// What must not be lost when the server dies between the request and the obedience goes with the
// request, in one transaction. The rest can be told from the store.
void Policy::foretell(const Call& call) {
  const Reach reach(call.event, options_.relay);
  for (const Coordinate& owned : reached_announcements(call.event)) {
    const Listing& listing = *catalog_.find(owned);
    if (listing.hosts)
      call.changes.notes.push_back(removal_note(owned, removal_due(listing, call.now)));
    if (reach.names(listing.announcement.id))
      call.changes.notes.push_back(floor_note(owned, listing.version()));
  }
}

// Another state may rule now, of the author's colleagues.
void Policy::forget_waiting_state(const Coordinate& key, Changes& changes) {
  call_end(purgatory_.state(key)->event->event);
  purgatory_.drop_state(key, changes.notes);
  changes.recheck.insert(key.identifier);
}
void Policy::forget_served_state(const Coordinate& key, Changes& changes) {
  catalog_.erase_state(key.owner, key.identifier);
  changes.recheck.insert(key.identifier);
}

}  // namespace graspd::grasp
