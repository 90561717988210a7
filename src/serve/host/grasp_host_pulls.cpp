// Pull requests that were just sent, and what maintainers say of those that are here.
#include <limits>

#include "grasp/pull_selection.h"
#include "net/clock.h"
#include "nostr/json.h"
#include "serve/host/grasp_host.h"
#include "serve/host/pull_refs.h"
#include "store/answer.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PullRequest;

// A status names one pull request, and perhaps a revision of it.
constexpr std::size_t kNamedMax = 8;
// Updates of one pull request that are closed with it.
constexpr std::size_t kUpdatesMax = 1'000;

std::vector<nostr::EventId> named_in(const nostr::Event& status) {
  std::vector<nostr::EventId> named;
  for (const nostr::Tag tag : status.tags) {
    const auto id = tag.name() == "e" ? nostr::EventId::from_hex(tag.value()) : std::nullopt;
    if (id && named.size() < kNamedMax) named.push_back(*id);
  }
  return named;
}

std::vector<nostr::EventId> updates_of(const nostr::EventId& pull, const store::EventStore& store) {
  nostr::Filter filter;
  filter.kinds = {{grasp::kinds::kPullRequestUpdate}};
  filter.tags = {{'E', {pull.hex()}}};
  filter.limit = kUpdatesMax;
  std::vector<nostr::EventId> updates;
  store::Cursor cursor({std::move(filter)}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) { updates.push_back(found.position.id); };
  for (const auto here = store.snapshot(); here;) {
    const auto read = (*here)->read(cursor, {}, net::now().unix_seconds, visit);
    if (!read || *read == store::ReadState::Finished) break;
  }
  return updates;
}

}  // namespace

void GraspHost::answer_now(const nostr::EventId& id, const relay::Answer& answer) const {
  const bool stored =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.is_stored(id); });
  answer(stored ? store::answer_to(store::Outcome::Stored)
                : nostr::Answer{nostr::Outcome::Held, true, grasp::kInPurgatory});
}

void GraspHost::align_pulls(const nostr::WireEventPtr& event, relay::Answer answer) {
  std::set<grasp::Identifier> identifiers;
  for (const Coordinate& repository : grasp::parse_pull_request(event->event).repositories)
    identifiers.insert(repository.identifier);
  pulls_.add(
      {event->event.id,
       {identifiers.begin(), identifiers.end()},
       [this, id = event->event.id, answer = std::move(answer)] { answer_now(id, answer); }});
}

void GraspHost::follow_status(const nostr::WireEventPtr& event) {
  const nostr::PublicKey by = event->event.pubkey;
  const bool may_matter =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.catalog().is_involved(by); });
  if (!may_matter) return;
  workers_.post([this, event, by] {
    for (const nostr::EventId& id : named_in(event->event)) {
      const auto views = hosting_.ask([&](const grasp::Policy& policy) {
        const auto pull = policy.find_pull(id);
        auto carrying = pull ? policy.views_of(*pull) : std::vector<Coordinate>();
        std::erase_if(carrying, [&](const Coordinate& view) {
          return !policy.catalog().authority(view).contains(by);
        });
        return carrying;
      });
      if (views.empty()) continue;
      auto pulls = updates_of(id, store_);
      pulls.push_back(id);
      for (const Coordinate& view : views) follow_status_in(view, pulls);
    }
  });
}

// Closed ones lose their refs, others have them again if their commits are still here.
void GraspHost::follow_status_in(const Coordinate& view, const std::vector<nostr::EventId>& ids) {
  AlignmentScope open;
  std::vector<nostr::EventId> closed;
  {
    const auto guard = hosting_.views.lock(hosting_.key(view));
    PullRefs refs(hosting_, view);
    for (const nostr::EventId& id : ids) {
      const auto pull =
          hosting_.ask([&](const grasp::Policy& policy) { return policy.find_pull(id); });
      if (!pull) continue;
      if (refs.is_closed(*pull))
        closed.push_back(id);
      else
        open.pulls.push_back({id});
    }
    if (!closed.empty() && refs.drop(closed)) touched(view);
  }
  if (!open.pulls.empty()) align(view.identifier, std::move(open));
}

}  // namespace graspd::serve
