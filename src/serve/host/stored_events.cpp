#include "serve/host/stored_events.h"

#include "nostr/json.h"

namespace graspd::serve {
namespace {

std::optional<nostr::Event> stored_event(const store::EventStore& store, const nostr::EventId& id) {
  const auto here = store.snapshot();
  const auto json = here ? (*here)->find_json(id) : std::nullopt;
  if (!json) return std::nullopt;
  auto event = nostr::JsonReader().event(*json);
  return event ? std::optional(*std::move(event)) : std::nullopt;
}

}  // namespace

std::optional<grasp::RepoState> stored_state(const store::EventStore& store,
                                             const nostr::EventId& id) {
  const auto event = stored_event(store, id);
  if (!event) return std::nullopt;
  auto state = grasp::parse_state(*event);
  return state ? std::optional(*std::move(state)) : std::nullopt;
}

std::optional<grasp::PullRequest> stored_pull(const store::EventStore& store,
                                              const nostr::EventId& id) {
  const auto event = stored_event(store, id);
  const bool is_pull = event && (event->kind == grasp::kinds::kPullRequest ||
                                 event->kind == grasp::kinds::kPullRequestUpdate);
  return is_pull ? std::optional(grasp::parse_pull_request(*event)) : std::nullopt;
}

}  // namespace graspd::serve
