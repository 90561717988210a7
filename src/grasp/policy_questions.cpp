// What those who host ask. Rule numbers are those of grasp/policy.h.
#include <algorithm>

#include "grasp/policy.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {

void Policy::give_time(const BeingPushed& push, core::UnixSeconds soon, core::UnixSeconds now,
                       Transition& changes) {
  const auto is_short = [&](const Held* held) { return held && held->expires <= soon; };
  for (const nostr::EventId& id : push.pulls)
    if (is_short(state_.purgatory.pull(id))) state_.purgatory.extend_pull(id, now, changes);
  if (!push.view) return;
  if (is_short(state_.purgatory.announcement(*push.view)))
    state_.purgatory.extend(*push.view, now, changes);
  const Identifier& identifier = push.view->identifier;
  const auto ruling = this->ruling(*push.view);
  const HeldState* held = ruling ? state_.purgatory.state(ruling->version.id, identifier) : nullptr;
  if (is_short(held)) state_.purgatory.extend_state({held->state.author, identifier}, now, changes);
}

bool Policy::is_open(const Coordinate& view) const {
  if (!state_.catalog.is_view(view)) return false;
  const Held* waiting = state_.purgatory.announcement(view);
  return !waiting || !waiting->asleep;
}

std::optional<Ruling> Policy::ruling(const Coordinate& view) const {
  std::optional<Ruling> newest;
  if (const auto served = state_.catalog.served_state(view)) newest = Ruling{*served, false};
  if (!state_.purgatory.has_states(view.identifier)) return newest;
  const auto held =
      state_.purgatory.newest_state(view.identifier, state_.catalog.authority(view).members);
  if (held && (!newest || nostr::wins(*held, newest->version))) newest = Ruling{*held, true};
  return newest;
}

std::optional<RepoState> Policy::find_state(const nostr::EventId& id,
                                            const Identifier& identifier) const {
  if (const HeldState* held = state_.purgatory.state(id, identifier)) return held->state;
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

std::vector<Coordinate> Policy::views_of(const PullRequest& pull) const {
  std::set<Coordinate> carrying;
  const auto add = [&](const Coordinate& view) {
    if (state_.catalog.is_view(view) && state_.catalog.find(view)->place == Place::Served)
      carrying.insert(view);
  };
  for (const Coordinate& named : pull.repositories) {
    add(named);
    std::ranges::for_each(state_.catalog.views_ruled_by(named.owner, named.identifier), add);
  }
  return {carrying.begin(), carrying.end()};
}

std::optional<PullRequest> Policy::find_pull(const nostr::EventId& id) const {
  if (const HeldPull* held = state_.purgatory.pull(id)) return held->pull;
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

bool Policy::knows(const nostr::EventId& id) const {
  if (state_.rejections.orphans().contains(id)) return state_.rejections.orphans().is_waiting(id);
  return state_.purgatory.contains(id) || state_.purgatory.has_expired(id) ||
         state_.rejections.ids().contains(id);
}

std::vector<nostr::WireEventPtr> Policy::kept_events() const {
  auto all = state_.purgatory.events();
  auto waiting = state_.rejections.orphans().events();
  all.insert(all.end(), std::move_iterator(waiting.begin()), std::move_iterator(waiting.end()));
  return all;
}

}  // namespace graspd::grasp
