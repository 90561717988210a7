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

}  // namespace

void lose_pull(const PullRequest& pull, Changes& changes) {
  changes.lost_pulls.push_back(pull.id);
  for (const Coordinate& repository : pull.repositories)
    changes.lost_pulls_in.insert(repository.identifier);
}

Verdict Policy::deletion(const Call& call) {
  if (targets(call.event) > kTargetsMax) return Refuse{"invalid: too many deletion targets"};
  std::vector<PullRequest> pulls;
  for (const nostr::EventId& id : nostr::requested_deletions(call.event).ids) {
    const auto json = call.here.find_json(id);
    if (!json) continue;
    auto target = nostr::JsonReader().event(*json);
    if (!target) continue;
    if (target->pubkey != call.event.pubkey)
      return Refuse{"invalid: cannot delete event authored by another pubkey"};
    if (is_pull(target->kind)) pulls.push_back(parse_pull_request(*target));
  }
  for (const PullRequest& pull : pulls) lose_pull(pull, call.changes);
  return Take{};
}

Verdict Policy::vanish(const Call& call) {
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

// Only what the signer wrote, waiting or served (N2, N3 of the peers' history: nobody else's views
// and states are touched).
void Policy::obey_deletion(const nostr::Event& deletion, core::UnixSeconds now, Changes& changes) {
  const nostr::Deletions asked = nostr::requested_deletions(deletion);
  const std::set<nostr::EventId> ids(asked.ids.begin(), asked.ids.end());
  const auto up_to = [&](core::UnixSeconds created_at, const nostr::Address& address) {
    return created_at <= deletion.created_at && std::ranges::count(asked.addresses, address) > 0;
  };
  for (const Coordinate& owned : catalog_.of_owner(deletion.pubkey)) {
    const Listing& listing = *catalog_.find(owned);
    const bool by_id = ids.contains(listing.announcement.id);
    // The store refuses what an address names; an older version is not named by an id.
    if (by_id) raise_floor(owned, listing.version(), listing.place, changes);
    if (by_id || up_to(listing.announcement.created_at, owned.announcement_address()))
      forget_announcement(owned, now, changes);
  }
  for (const Coordinate& key : purgatory_.states_of(deletion.pubkey)) {
    const RepoState& held = purgatory_.state(key)->state;
    if (ids.contains(held.id) || up_to(held.created_at, key.state_address(deletion.pubkey)))
      forget_waiting_state(key, changes);
  }
  for (const nostr::EventId& id : purgatory_.pulls_of(deletion.pubkey))
    if (ids.contains(id)) purgatory_.drop_pull(id, changes.notes);

  for (const auto& [identifier, version] : catalog_.states_of(deletion.pubkey)) {
    const Coordinate key{deletion.pubkey, identifier};
    if (ids.contains(version.id) || up_to(version.created_at, key.state_address(deletion.pubkey)))
      forget_served_state(key, changes);
  }
}

// Another state may rule now, of the author's colleagues.
void Policy::forget_waiting_state(const Coordinate& key, Changes& changes) {
  purgatory_.drop_state(key, changes.notes);
  changes.recheck.insert(key.identifier);
}
void Policy::forget_served_state(const Coordinate& key, Changes& changes) {
  catalog_.erase_state(key.owner, key.identifier);
  changes.recheck.insert(key.identifier);
}

void Policy::obey_vanish(const nostr::Event& request, core::UnixSeconds now, Changes& changes) {
  if (!options_.relay || !nostr::asks_to_vanish_from(request, *options_.relay)) return;
  const nostr::PublicKey& who = request.pubkey;
  const auto covered = [&](core::UnixSeconds created_at) {
    return created_at <= request.created_at;
  };
  for (const Coordinate& owned : catalog_.of_owner(who))
    if (covered(catalog_.find(owned)->announcement.created_at))
      forget_announcement(owned, now, changes);
  for (const Coordinate& key : purgatory_.states_of(who))
    if (covered(purgatory_.state(key)->state.created_at)) purgatory_.drop_state(key, changes.notes);
  for (const nostr::EventId& id : purgatory_.pulls_of(who))
    if (covered(purgatory_.pull(id)->pull.created_at)) purgatory_.drop_pull(id, changes.notes);
  for (const auto& [identifier, version] : catalog_.states_of(who))
    if (covered(version.created_at)) forget_served_state({who, identifier}, changes);
}

}  // namespace graspd::grasp
