#include <algorithm>
#include <functional>

#include "grasp/policy.h"
#include "grasp/pr_repository.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

// Announcements that a state of their people gives more time; the nearest come first.
constexpr std::size_t kExtendedMax = 16;

constexpr std::string_view kExpiredBefore =
    "invalid: previously expired from purgatory without git data";

}  // namespace

Verdict Policy::state(const Call& call) {
  auto parsed = parse_state(call.event);
  if (!parsed) return Refuse{parsed.error(), Reason::Invalid};
  const RepoState& state = *parsed;
  if (!state.too_long.empty())
    return Refuse{"invalid: " + state.too_long + "; use a shorter one", Reason::Invalid};
  const Coordinate key{state.author, state.identifier};
  const auto newest_seen = newest_states_.find(key);
  if (newest_seen != newest_states_.end() &&
      nostr::wins(newest_seen->second, {state.created_at, state.id}))
    return Wait{"duplicate: superseded by a newer event", Reason::Superseded};
  const HeldState* held = purgatory_.state(key);
  if (held && held->state.id == state.id) {
    if (held->synced && !call.origin.synced) purgatory_.claim(*held, call.now, call.changes);
    return Wait{"duplicate: in purgatory"};
  }
  if (held && !nostr::wins({state.created_at, state.id}, {held->state.created_at, held->state.id}))
    return Wait{"duplicate: superseded by a newer event", Reason::Superseded};

  if (!catalog_.has_views(state.identifier))
    return Refuse{"invalid: no announcement exists for this repository", Reason::Lacking};
  const auto ruled = catalog_.views_ruled_by(state.author, state.identifier);
  if (ruled.empty())
    return Refuse{"restricted: author not authorized for this repository", Reason::Lacking};
  const auto is_served = [&](const Coordinate& view) {
    return catalog_.find(view)->place == Place::Served;
  };
  if (state.stops_tracking() && std::ranges::any_of(ruled, is_served)) return Take{};
  if (call.origin.synced && purgatory_.has_expired(state.id))
    return Refuse{std::string(kExpiredBefore), Reason::Abandoned};
  if (auto refusal = make_space(call, held)) return *refusal;
  purgatory_.hold_state(
      {{call.wire, purgatory_.deadline(call.now), false, call.origin.synced}, *std::move(parsed)},
      call.changes);
  for (const Coordinate& view : std::span(ruled).first(std::min(ruled.size(), kExtendedMax)))
    purgatory_.extend(view, call.now, call.changes);
  return LookForData{};
}

void Policy::stored_state(const nostr::Event& event, Transition& changes) {
  const auto state = parse_state(event);
  if (!state) return;
  const Coordinate key{state->author, state->identifier};
  catalog_.put_state(state->author, state->identifier, {state->created_at, state->id});
  expirations_.stored(event, {key}, changes);
  const HeldState* held = purgatory_.state(key);
  if (held &&
      !nostr::wins({held->state.created_at, held->state.id}, {state->created_at, state->id}))
    purgatory_.drop_state(key, changes);
}

void Policy::give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                       Transition& changes) {
  const auto is_short = [&](const Held* held) { return held && held->expires <= soon; };
  for (const nostr::EventId& id : push.pulls)
    if (is_short(purgatory_.pull(id))) purgatory_.extend_pull(id, now, changes);
  if (!push.view) return;
  if (is_short(purgatory_.announcement(*push.view))) purgatory_.extend(*push.view, now, changes);
  const auto ruling = this->ruling(*push.view);
  for (const HeldState* held : purgatory_.states(push.view->identifier))
    if (ruling && held->state.id == ruling->version.id && is_short(held))
      purgatory_.extend_state({held->state.author, push.view->identifier}, now, changes);
}

bool Policy::is_open(const Coordinate& view) const {
  if (!catalog_.is_view(view)) return false;
  const Held* waiting = purgatory_.announcement(view);
  return !waiting || !waiting->asleep;
}

std::optional<Ruling> Policy::ruling(const Coordinate& view) const {
  std::optional<Ruling> newest;
  if (const auto served = catalog_.served_state(view)) newest = Ruling{*served, false};
  if (!purgatory_.has_states(view.identifier)) return newest;
  for (const nostr::PublicKey& member : catalog_.authority(view).members) {
    const HeldState* held = purgatory_.state({member, view.identifier});
    if (!held) continue;
    const nostr::Version version{held->state.created_at, held->state.id};
    if (!newest || nostr::wins(version, newest->version)) newest = Ruling{version, true};
  }
  return newest;
}

std::optional<RepoState> Policy::find_state(const nostr::EventId& id,
                                            const Identifier& identifier) const {
  for (const HeldState* held : purgatory_.states(identifier))
    if (held->state.id == id) return held->state;
  const auto here = store_.snapshot();
  if (!here) return std::nullopt;
  const auto json = (*here)->find_json(id);
  if (!json) return std::nullopt;
  const auto event = nostr::JsonReader().event(*json);
  if (!event) return std::nullopt;
  auto state = parse_state(*event);
  if (!state) return std::nullopt;
  return *std::move(state);
}

Verdict Policy::pull_request(const Call& call) {
  PullRequest pull = parse_pull_request(call.event);
  if (const HeldPull* held = purgatory_.pull(pull.id)) {
    if (held->synced && !call.origin.synced) purgatory_.claim(*held, call.now, call.changes);
    return Wait{"duplicate: in purgatory"};
  }
  if (!pull.has_c)
    return Refuse{"invalid: PR event " + pull.id.hex() + " has no 'c' tag", Reason::Invalid};
  if (pr_repositories_of(pull).empty() &&
      !is_related(call.event, catalog_, call.here, in_flight_, call.now))
    return Refuse{"restricted: PR event must reference an accepted repository or accepted event",
                  Reason::Lacking};
  if (call.origin.synced && purgatory_.has_expired(pull.id))
    return Refuse{std::string(kExpiredBefore), Reason::Abandoned};
  if (auto refusal = make_space(call, nullptr)) return *refusal;
  purgatory_.hold_pull(
      {{call.wire, purgatory_.deadline(call.now), false, call.origin.synced}, std::move(pull)},
      call.changes);
  return LookForData{};
}

std::vector<Coordinate> Policy::views_of(const PullRequest& pull) const {
  std::set<Coordinate> carrying;
  const auto add = [&](const Coordinate& view) {
    if (catalog_.is_view(view) && catalog_.find(view)->place == Place::Served)
      carrying.insert(view);
  };
  for (const Coordinate& named : pull.repositories) {
    add(named);
    std::ranges::for_each(catalog_.views_ruled_by(named.owner, named.identifier), add);
  }
  return {carrying.begin(), carrying.end()};
}

bool Policy::takes_pr_repository(const Coordinate& pr_repository) const {
  return options_.pr_repositories &&
         !options_.event_blacklist.matches_author(pr_repository.owner) &&
         !options_.repository_blacklist.matches(pr_repository);
}

std::vector<Coordinate> Policy::pr_repositories_of(const PullRequest& pull) const {
  if (!options_.pr_repositories) return {};
  auto pr_repositories = pr_repositories_for(pull, options_.service);
  const auto is_wanted = [&](const Coordinate& pr_repository) {
    const auto is_named = [&](const Coordinate& repository) {
      return repository.identifier == pr_repository.identifier &&
             !options_.repository_blacklist.matches(repository);
    };
    return takes_pr_repository(pr_repository) && std::ranges::any_of(pull.repositories, is_named);
  };
  std::erase_if(pr_repositories, std::not_fn(is_wanted));
  return pr_repositories;
}

std::optional<std::string> Policy::pr_repository_fault(const PullRequest& pull,
                                                       const Coordinate& pr_repository,
                                                       const git::Oid& commit) const {
  return grasp::pr_repository_fault(pull, pr_repository, commit, options_.service);
}

std::optional<PullRequest> Policy::find_pull(const nostr::EventId& id) const {
  if (const HeldPull* held = purgatory_.pull(id)) return held->pull;
  const auto here = store_.snapshot();
  const auto json = here ? (*here)->find_json(id) : std::nullopt;
  if (!json) return std::nullopt;
  const auto event = nostr::JsonReader().event(*json);
  if (!event || (event->kind != kinds::kPullRequest && event->kind != kinds::kPullRequestUpdate))
    return std::nullopt;
  return parse_pull_request(*event);
}

bool Policy::is_stored(const nostr::EventId& id) const {
  const auto here = store_.snapshot();
  return here && (*here)->contains(id);
}

}  // namespace graspd::grasp
