#include "grasp/policy_state.h"

#include "grasp/related.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::size_t kNewestSeenMax = 100'000;

OrphanPoolLimits patient(OrphanPoolLimits limits, core::UnixSeconds at_least) {
  limits.patience = std::max(limits.patience, at_least);
  return limits;
}

}  // namespace

std::optional<Coordinate> key_of(const nostr::Event& event) {
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (!identifier) return std::nullopt;
  return Coordinate{event.pubkey, *identifier};
}

PolicyState::PolicyState(std::shared_ptr<const Rules> with_rules)
    : current_rules(std::move(with_rules)),
      catalog(rules().options().membership, rules().options().members_max),
      purgatory(rules().options().purgatory),
      new_repositories(rules().options().new_repositories_per_relay),
      rejections(patient(rules().options().orphan_pool, rules().options().rejected_whole),
                 rules().options().rejected),
      requests(rules().options().requests),
      stranger_requests("stranger-request/", rules().options().stranger_requests),
      stranger_lists("stranger-list/", rules().options().stranger_lists) {}

bool PolicyState::is_at_home(const nostr::PublicKey& who) const {
  return who == rules().options().operator_key || catalog.is_involved(who);
}

bool PolicyState::is_due(const Listing& listing) const {
  const Coordinate& key = listing.announcement.coordinate;
  if (!purgatory.announcement(key)) return false;
  if (listing.place == Place::Served) return true;
  return !listing.hosts && catalog.is_wanted(key.owner, key.identifier, Catalog::By::ServedRepo);
}

// Who never had data here can make coordinates for nothing: of these only so many are remembered.
void PolicyState::raise_newest_seen(const Coordinate& coordinate, const nostr::Version& version,
                                    Place place, core::UnixSeconds now, Transition& changes) {
  if (rules().is_too_far_ahead(version.created_at, now)) return;
  if (place == Place::Waiting && newest_announcements.size() >= kNewestSeenMax) return;
  newest_announcements.raise(coordinate, version, changes);
}

void PolicyState::raise_newest_state(const Coordinate& key, const nostr::Version& version,
                                     core::UnixSeconds now, Transition& changes) {
  if (rules().is_too_far_ahead(version.created_at, now)) return;
  newest_states.raise(key, version, changes);
}

std::optional<Ruling> PolicyState::ruling(const Coordinate& repo) const {
  std::optional<Ruling> newest;
  if (const auto served = catalog.served_state(repo)) newest = Ruling{*served, false};
  if (!purgatory.states().has(repo.identifier)) return newest;
  const auto held = purgatory.states().newest(repo.identifier, catalog.authority(repo).members);
  if (held && (!newest || nostr::wins(*held, newest->version))) newest = Ruling{*held, true};
  return newest;
}

void PolicyState::apply_stored(const nostr::Event& event, Transition& changes) {
  if (event.kind == kinds::kAnnouncement) store_announcement(event, changes);
  if (event.kind == kinds::kState) store_state(event, changes);
}

void PolicyState::store_announcement(const nostr::Event& event, Transition& changes) {
  auto announced = rules().read_announcement(event);
  if (!announced) return;
  const Coordinate coordinate = announced->coordinate;
  const bool hosts = rules().is_host_of(*announced);
  catalog.put({*std::move(announced), Place::Served, hosts});
  expirations.stored(event, {coordinate}, changes);
  purgatory.drop_announcement(coordinate, changes);
  if (hosts) removals.cancel(coordinate, changes);
  if (threads.contains(coordinate)) changes.add(RestoreThreads{coordinate});
  changes.add(AlignGroup{coordinate.identifier});
  call_wanted(coordinate);
  const Listing& listing = *catalog.find(coordinate);
  for (const nostr::PublicKey& key : listing.announcement.roles.listed)
    rejections.call(waits_for_author(key));
  retry_guests(coordinate, changes);
}

// Those beyond kGuestsMax follow with the next sweep.
void PolicyState::retry_guests(const Coordinate& served, Transition& changes) const {
  std::size_t asked = 0;
  for (const nostr::PublicKey& key : catalog.concerned_by(served)) {
    const Coordinate guest{key, served.identifier};
    if (!catalog.is_waiting_guest(guest)) continue;
    if (++asked > kGuestsMax) return;
    if (is_due(*catalog.find(guest))) changes.add(Retry{purgatory.announcement(guest)->event, {}});
  }
}

void PolicyState::store_state(const nostr::Event& event, Transition& changes) {
  const auto state = parse_state(event);
  if (!state) return;
  const Coordinate key{state->author, state->identifier};
  catalog.put_state(state->author, state->identifier, {state->created_at, state->id});
  expirations.stored(event, {key}, changes);
  const HeldState* held = purgatory.state(key);
  if (held &&
      !nostr::wins({held->state.created_at, held->state.id}, {state->created_at, state->id}))
    purgatory.drop_state(key, changes);
}

void PolicyState::forget_announcement(const Coordinate& coordinate, core::UnixSeconds now,
                                      Transition& changes) {
  const Listing* listing = catalog.find(coordinate);
  if (!listing) return;
  if (listing->hosts) removals.schedule(coordinate, removal_due(*listing, now), changes);
  catalog.erase(coordinate);
  expirations.forget(kinds::kAnnouncement, coordinate, changes);
  purgatory.drop_announcement(coordinate, changes);
  changes.add(AlignGroup{coordinate.identifier});
}

// What never had data has nothing that could be regretted.
core::UnixSeconds PolicyState::removal_due(const Listing& listing, core::UnixSeconds now) const {
  return listing.place == Place::Served ? now + rules().options().removal_grace : now;
}

// Another state may rule now, of the author's colleagues.
void PolicyState::forget_waiting_state(const Coordinate& key, Transition& changes) {
  call_end(purgatory.state(key)->event->event);
  purgatory.drop_state(key, changes);
  changes.add(AlignGroup{key.identifier});
}

void PolicyState::forget_served_state(const Coordinate& key, Transition& changes) {
  catalog.erase_state(key.owner, key.identifier);
  expirations.forget(kinds::kState, key, changes);
  changes.add(AlignGroup{key.identifier});
}

void PolicyState::archive_threads(const Listing& gone, core::UnixSeconds now, Transition& changes) {
  const Coordinate& coordinate = gone.announcement.coordinate;
  threads.archive(coordinate, {now + rules().options().removal_grace, gone.announcement.id},
                  changes);
}

void PolicyState::forget_pooled(const nostr::EventId& id, Transition& changes) {
  stranger_requests.erase(id, changes);
  stranger_lists.erase(id, changes);
}

void PolicyState::call_wanted(const Coordinate& announcement) {
  for (const nostr::PublicKey& key : catalog.concerned_by(announcement))
    rejections.call(waits_for_role(key, announcement.identifier));
}

void PolicyState::call_end(const nostr::Event& event) {
  if (const auto address = nostr::address_of(event)) rejections.call(waits_for_end(*address));
}

const Held* PolicyState::held_like(const nostr::Event& event) const {
  const auto key = key_of(event);
  if (event.kind == kinds::kAnnouncement) return key ? purgatory.announcement(*key) : nullptr;
  if (event.kind == kinds::kState) return key ? purgatory.state(*key) : nullptr;
  return purgatory.pull(event.id);
}

// Nothing waits for an event that the store does not take.
void PolicyState::give_up(const nostr::Event& event, Transition& changes) {
  const Held* held = held_like(event);
  if (!held || held->event->event.id != event.id) return;
  purgatory.drop_pull(event.id, changes);
  const auto key = key_of(event);
  if (event.kind == kinds::kState) purgatory.drop_state(*key, changes);
  if (event.kind != kinds::kAnnouncement) return;
  purgatory.drop_announcement(*key, changes);
  const Listing* listing = catalog.find(*key);
  if (listing && listing->place == Place::Waiting) catalog.erase(*key);
}

// What waits belongs into the catalog too. A version newer than the one that is served was about to
// be stored: is_due() says so.
void PolicyState::list_waiting(const store::Snapshot& here, Transition& changes) {
  for (const Coordinate& key : purgatory.announcements().keys()) list_waiting(key, here, changes);
}

void PolicyState::list_waiting(const Coordinate& key, const store::Snapshot& here,
                               Transition& changes) {
  auto announced = rules().read_announcement(purgatory.announcement(key)->event->event);
  const Listing* known = catalog.find(key);
  const bool is_listed = known && announced && known->announcement.id == announced->id;
  if (is_listed && !here.contains(announced->id)) return;
  const bool is_newer = announced && (!known || nostr::wins({announced->created_at, announced->id},
                                                            known->version()));
  if (!is_newer || rules().is_unwelcome(*announced))
    return purgatory.drop_announcement(key, changes);
  const bool hosts = rules().is_host_of(*announced);
  // A guest waits for whoever lists it, a repository for its data, also when an older version that
  // had no repository is served.
  const Place place = known && known->hosts && hosts ? known->place : Place::Waiting;
  catalog.put({*std::move(announced), place, hosts});
}

}  // namespace graspd::grasp
