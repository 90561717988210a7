// Requests to delete (kind 5) and to vanish (kind 62). Rule numbers are those of grasp/policy.h.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <set>

#include "grasp/decisions.h"
#include "grasp/deletion_scope.h"
#include "grasp/held_threads.h"
#include "grasp/references.h"
#include "grasp/strangers.h"
#include "grasp/withdrawal.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::size_t kTargetsMax = 2048;

// Addresses of one deletion that are looked up.
constexpr std::size_t kAddressesMax = 64;

// Lookups of one deletion among what is kept apart: each id is sought with every repository that is
// out of service, and the writer waits.
constexpr std::size_t kArchiveLooksMax = 4096;

std::size_t targets(const nostr::Event& deletion) {
  return static_cast<std::size_t>(
      std::count_if(deletion.tags.begin(), deletion.tags.end(),
                    [](nostr::Tag tag) { return tag.name() == "e" || tag.name() == "a"; }));
}

bool is_pull(nostr::Kind kind) {
  return kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate;
}

std::vector<Coordinate> reached_announcements(const PolicyState& state,
                                              const nostr::Event& request) {
  const DeletionScope reach(request, state.rules().options().relay);
  std::vector<Coordinate> reached = state.catalog.of_owner(request.pubkey);
  std::erase_if(reached, [&](const Coordinate& owned) {
    const Announcement& announced = state.catalog.find(owned)->announcement;
    return !reach.covers(announced.id, announced.created_at, owned.announcement_address());
  });
  return reached;
}

bool is_still_welcome(const DecisionContext& context, const nostr::Event& event) {
  if (event.kind == kinds::kState) {
    const auto state = parse_state(event);
    return state && !context.state.catalog.repos_ruled_by(state->author, state->identifier).empty();
  }
  const auto announced = context.rules.read_announcement(event);
  if (!announced || context.rules.is_unwelcome(*announced)) return false;
  const Coordinate& key = announced->coordinate;
  return context.rules.is_host_of(*announced) ||
         context.state.catalog.is_wanted(key.owner, key.identifier, Catalog::By::ServedRepo);
}

// R10. The newest version before the one that goes, if it may still be here. It is no longer kept
// as a past one.
nostr::WireEventPtr version_before(const history::Past& deleted, const DeletionScope& reach,
                                   const DecisionContext& context) {
  auto versions = history::of(context.here, deleted.kind, deleted.coordinate);
  std::erase_if(versions, [&](const history::Past& past) {
    return !nostr::wins(deleted.version, past.version) ||
           reach.covers(past.version.id, past.version.created_at, past.address());
  });
  for (; !versions.empty(); versions.pop_back()) {
    auto wire = history::find(context.here, versions.back());
    const auto outcome = wire ? context.here.judge(*wire, context.now) : store::Outcome::Expired;
    // It gives way to the version that is about to go, and to nothing else.
    if (!outcome || (*outcome != store::Outcome::Superseded && *outcome != store::Outcome::Stored))
      continue;
    if (!is_still_welcome(context, wire->event)) return nullptr;
    context.changes.put_note(versions.back().note(std::nullopt));
    return wire;
  }
  return nullptr;
}

void forget_history(const DeletionScope& reach, const DecisionContext& context) {
  for (const nostr::Kind kind : {kinds::kAnnouncement, kinds::kState})
    for (const history::Past& past : history::of_author(context.here, kind, context.event.pubkey))
      if (reach.covers(past.version.id, past.version.created_at, past.address()))
        context.changes.put_note(past.note(std::nullopt));
}

// States first: what is left of them says which repositories nobody signs any more.
Catalog without_states(const DecisionContext& context, const DeletionScope& reach) {
  Catalog after = context.state.catalog;
  const nostr::PublicKey& who = context.event.pubkey;
  for (const auto& [identifier, version] : context.state.catalog.states_of(who)) {
    const Coordinate key{who, identifier};
    if (!reach.covers(version.id, version.created_at, key.state_address(who))) continue;
    nostr::WireEventPtr before;
    if (reach.names(version.id)) {
      context.state.raise_newest_state(key, version, context.now, context.changes);
      before = version_before({kinds::kState, key, version}, reach, context);
    }
    if (before)
      context.changes.add(store::Restore{before});
    else
      after.erase_state(who, identifier);
  }
  return after;
}

std::set<Coordinate> repos_left_unsigned(const DecisionContext& context, const Catalog& after) {
  std::set<Coordinate> repos;
  const nostr::PublicKey& who = context.event.pubkey;
  for (const auto& [identifier, version] : context.state.catalog.states_of(who))
    if (!after.state_of(who, identifier))
      std::ranges::copy(left_unsigned(after, who, identifier), std::inserter(repos, repos.end()));
  return repos;
}

// What must not be lost when the server dies between the request and the obedience goes with the
// request, in one transaction. The rest can be told from the store.
void record_intent(const DecisionContext& context) {
  const DeletionScope reach(context.event, context.rules.options().relay);
  auto left = repos_left_unsigned(context, without_states(context, reach));
  for (const Coordinate& owned : reached_announcements(context.state, context.event)) {
    const Listing& listing = *context.state.catalog.find(owned);
    const bool is_named = reach.names(listing.announcement.id);
    const auto before =
        is_named && listing.place == Place::Served
            ? version_before({kinds::kAnnouncement, owned, listing.version()}, reach, context)
            : nullptr;
    if (listing.hosts && !before)
      context.state.removals.schedule(owned, context.state.removal_due(listing, context.now),
                                      context.changes);
    if (is_named)
      context.state.raise_newest_seen(owned, listing.version(), listing.place, context.now,
                                      context.changes);
    else if (listing.place == Place::Served)
      context.state.archive_threads(listing, context.now, context.changes);
    const bool is_unsigned = left.erase(owned) > 0;
    if (before && is_unsigned)
      withdraw(context.state, before, context.now, context.changes);
    else if (before)
      context.changes.add(store::Restore{before});
  }
  for (const Coordinate& repo : left)
    withdraw(context.state, repo, context.here, context.now, context.changes);
  forget_history(reach, context);
}

// What is kept apart with a repository that is out of service goes too (R12). What is not found
// within kArchiveLooksMax is refused when the repository returns.
void reach_archived(const DecisionContext& context, const std::vector<nostr::EventId>& ids) {
  std::size_t looks = 0;
  for (const nostr::EventId& id : ids)
    for (const auto& [gone, term] : context.state.threads.terms()) {
      if (++looks > kArchiveLooksMax) return;
      for (const nostr::WireEventPtr& wire : held_threads::read(gone, {&id, 1}, context.here)) {
        if (wire->event.pubkey != context.event.pubkey) continue;
        // A pull request stays until the repository returns: refs that a crash left go then.
        if (is_pull(wire->event.kind))
          context.changes.add(DropPullRefs::of(parse_pull_request(wire->event)));
        else
          context.changes.put_note(held_threads::letting_go(gone, id));
      }
    }
}

// What is served, or was: not what anybody can have wait here for nothing.
bool names_something_here(const DecisionContext& context) {
  const nostr::PublicKey& who = context.event.pubkey;
  const nostr::Deletions asked = nostr::requested_deletions(context.event);
  const auto is_kept = [&](const nostr::EventId& id) {
    return context.here.contains(id) && !context.state.stranger_requests.contains(id) &&
           !context.state.stranger_lists.contains(id);
  };
  if (std::ranges::any_of(asked.ids, is_kept)) return true;
  const DeletionScope reach(context.event, context.rules.options().relay);
  for (const nostr::Kind kind : {kinds::kAnnouncement, kinds::kState})
    for (const history::Past& past : history::of_author(context.here, kind, who))
      if (reach.covers(past.version.id, past.version.created_at, past.address())) return true;
  const auto is_stored = [&](const nostr::Address& address) {
    if (address.kind == kinds::kUserGraspList && !context.state.stranger_lists.of(who).empty())
      return false;
    return has_stored(address, context.here, context.now);
  };
  const auto first = std::min(asked.addresses.size(), kAddressesMax);
  return std::ranges::any_of(std::span(asked.addresses).first(first), is_stored);
}

constexpr std::string_view kUnserved =
    "duplicate: deletion request is no longer served; it will be re-served when used to reject an "
    "in-scope event";

bool is_unserved(const DecisionContext& context) {
  const auto* term = context.state.requests.find(context.event.id);
  return term && !term->served;
}

// R19
Verdict store_unobeyed(const DecisionContext& context) {
  if (is_stranger(context)) keep_in(context.state.stranger_requests, context);
  return Take{};
}

}  // namespace

Verdict decide_deletion(const DecisionContext& context) {
  if (is_unserved(context)) return Wait{std::string(kUnserved)};
  if (context.rules.options().ignores_requests) return store_unobeyed(context);
  if (targets(context.event) > kTargetsMax)
    return Refuse{"invalid: too many deletion targets", Reason::Invalid};
  std::vector<PullRequest> pulls;
  std::vector<nostr::EventId> missing;
  for (const nostr::EventId& id : nostr::requested_deletions(context.event).ids) {
    const auto json = context.here.find_json(id);
    if (!json) missing.push_back(id);
    if (!json) continue;
    auto target = nostr::JsonReader().event(*json);
    if (!target) continue;
    if (target->pubkey != context.event.pubkey)
      return Refuse{"invalid: cannot delete event authored by another pubkey", Reason::Invalid};
    if (is_pull(target->kind)) pulls.push_back(parse_pull_request(*target));
  }
  for (const PullRequest& pull : pulls) context.changes.add(DropPullRefs::of(pull));
  reach_archived(context, missing);
  context.state.requests.add(context.event, context.now, context.changes);
  record_intent(context);
  if (!context.state.is_at_home(context.event.pubkey) && !names_something_here(context))
    keep_in(context.state.stranger_requests, context);
  return Take{};
}

Verdict decide_vanish(const DecisionContext& context) {
  if (is_unserved(context)) return Wait{std::string(kUnserved)};
  if (context.rules.options().ignores_requests) return store_unobeyed(context);
  context.state.requests.add(context.event, context.now, context.changes);
  record_intent(context);
  if (is_stranger(context)) keep_in(context.state.stranger_requests, context);
  if (!context.rules.options().relay ||
      !nostr::asks_to_vanish_from(context.event, *context.rules.options().relay))
    return Take{};
  nostr::Filter pulls;
  pulls.authors = {{context.event.pubkey}};
  pulls.kinds = {{kinds::kPullRequest, kinds::kPullRequestUpdate}};
  pulls.until = context.event.created_at;
  store::Cursor cursor({pulls}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) {
    if (const auto pull = nostr::JsonReader().event(found.json))
      context.changes.add(DropPullRefs::of(parse_pull_request(*pull)));
  };
  for (;;) {
    const auto read = context.here.read(cursor, {}, context.now, visit);
    if (!read) return Refuse{fmt::format("error: {}", store::describe(read.error()))};
    if (*read == store::ReadState::Finished) return Take{};
  }
}

// Only what the signer wrote, waiting or served: nobody else's repositories and states are touched.
void apply_deletion(PolicyState& state, const nostr::Event& request, core::UnixSeconds now,
                    Transition& changes) {
  if (state.rules().options().ignores_requests) return;
  const DeletionScope reach(request, state.rules().options().relay);
  const nostr::PublicKey& who = request.pubkey;
  for (const Coordinate& owned : reached_announcements(state, request)) {
    const Listing& listing = *state.catalog.find(owned);
    // The store refuses what an address names; an older version is not named by an id.
    const bool is_named = reach.names(listing.announcement.id);
    if (is_named) state.raise_newest_seen(owned, listing.version(), listing.place, now, changes);
    state.forget_announcement(owned, now, changes);
  }
  for (const Coordinate& key : state.purgatory.states().by(who)) {
    const RepoState& held = state.purgatory.state(key)->state;
    if (reach.covers(held.id, held.created_at, key.state_address(who)))
      state.forget_waiting_state(key, changes);
  }
  for (const nostr::EventId& id : state.purgatory.pulls().by(who))
    if (reach.covers(id, state.purgatory.pull(id)->pull.created_at, std::nullopt))
      state.purgatory.drop_pull(id, changes);
  for (const nostr::WireEventPtr& wire : state.rejections.orphans().events_of(who)) {
    const nostr::Event& event = wire->event;
    if (reach.covers(event.id, event.created_at, nostr::address_of(event)))
      state.rejections.orphans().leave(event.id, changes);
  }
  for (const auto& [identifier, version] : state.catalog.states_of(who)) {
    const Coordinate key{who, identifier};
    if (!reach.covers(version.id, version.created_at, key.state_address(who))) continue;
    if (reach.names(version.id)) state.raise_newest_state(key, version, now, changes);
    state.forget_served_state(key, changes);
  }
}

}  // namespace graspd::grasp
