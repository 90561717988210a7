// What hung on a repository: its end, and its return.
#include <algorithm>
#include <functional>
#include <span>

#include "core/log.h"
#include "grasp/held_threads.h"
#include "grasp/threads.h"
#include "net/clock.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
namespace held = grasp::held_threads;

// In one transaction: others write too.
constexpr std::size_t kThreadEventsAtOnce = 256;

// No snapshot is held while they go.
std::optional<grasp::EndedThreads> ended_now(
    const store::EventStore& store, const grasp::Departed& gone,
    const grasp::LiesInPrRepository& lies_in_pr_repository) {
  const auto here = store.snapshot();
  if (!here) return std::nullopt;
  return grasp::ended_threads(gone, **here, lies_in_pr_repository, net::now().unix_seconds);
}

core::Result<std::vector<nostr::EventId>, store::StoreError> held_of(const store::EventStore& store,
                                                                     const Coordinate& gone) {
  const auto here = store.snapshot();
  if (!here) return core::Failure{here.error()};
  return held::all(gone, **here);
}

bool is_held_state(const nostr::WireEventPtr& wire) {
  return wire->event.kind == grasp::kinds::kState;
}
// Its refs are gone: it is decided anew.
bool is_held_pull(const nostr::WireEventPtr& wire) {
  const nostr::Kind kind = wire->event.kind;
  return kind == grasp::kinds::kPullRequest || kind == grasp::kinds::kPullRequestUpdate;
}

// Hands out some of them at a time, until one fails or `visit` has had enough.
template <class Visit>
bool some_at_a_time(const std::vector<nostr::EventId>& all, const Visit& visit) {
  for (std::size_t at = 0; at < all.size(); at += kThreadEventsAtOnce) {
    const auto rest = std::span(all).subspan(at);
    if (!visit(rest.first(std::min(rest.size(), kThreadEventsAtOnce)))) return false;
  }
  return true;
}

}  // namespace

bool GraspHost::is_announced(const Coordinate& coordinate) const {
  return hosting_.ask(
      [&](const grasp::Policy& policy) { return policy.catalog().find(coordinate) != nullptr; });
}

void GraspHost::end_threads(const grasp::Departed& departed, Threads threads) {
  const Coordinate& gone = departed.coordinate;
  if (is_announced(gone)) return;
  const auto lies_in_pr_repository = [&](const grasp::PullRequest& pull) {
    return hosting_.ask(
        [&](const grasp::Policy& policy) { return !policy.pr_repositories_of(pull).empty(); });
  };
  const auto ended = ended_now(store_, departed, lies_in_pr_repository);
  if (!ended) {
    core::log::warn("what hung on the repository {} is too much to go with it", gone.path());
    return;
  }
  const bool done = some_at_a_time(ended->events, [&](std::span<const nostr::EventId> some) {
    const auto here = store_.snapshot();
    if (!here || is_announced(gone)) return false;
    store::Changes changes;
    for (const nostr::EventId& id : some) {
      changes.push_back(store::Remove{id});
      if (threads == Threads::Forgotten) continue;
      if (auto note = held::keeping(gone, id, **here)) changes.push_back(*std::move(note));
    }
    return hosting_.admit({}, std::move(changes)).has_value();
  });
  if (!done) return;
  grasp::Transition changes;
  for (const grasp::PullRequest& pull : ended->pulls) changes.add(grasp::DropPullRefs::of(pull));
  hosting_.ask([&](grasp::Policy& policy) { policy.states_ended(ended->states, changes); });
  write_and_perform(std::move(changes));
}

bool GraspHost::serve_again(const Coordinate& back, std::vector<nostr::WireEventPtr> events) {
  store::Changes letting_go;
  for (const auto& wire : events) letting_go.push_back(held::letting_go(back, wire->event.id));
  grasp::Transition changes;
  const auto pulls = std::ranges::stable_partition(events, std::not_fn(is_held_pull));
  for (const nostr::WireEventPtr& pull : pulls) changes.add(grasp::Retry{pull, {}});
  events.erase(pulls.begin(), pulls.end());
  const auto fates = hosting_.admit(events, std::move(letting_go));
  if (!fates) return false;
  hosting_.ask([&](grasp::Policy& policy) {
    for (std::size_t i = 0; i < events.size(); ++i)
      policy.settled(events[i], (*fates)[i].outcome, net::now().unix_seconds, changes);
  });
  write_and_perform(std::move(changes));
  return true;
}

// What rules a repository comes back before it is decided whether its data is here.
void GraspHost::recall_states(const nostr::Event& announcement) {
  const auto announced = grasp::parse_announcement(announcement);
  if (!announced) return;
  const Coordinate& back = announced->coordinate;
  const bool have_ended =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.has_ended_threads(back); });
  if (!have_ended) return;
  const auto kept = held_of(store_, back);
  if (!kept) return;
  some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
    const auto here = store_.snapshot();
    if (!here) return false;
    auto events = held::read(back, some, **here);
    std::erase_if(events, std::not_fn(is_held_state));
    return events.empty() || serve_again(back, std::move(events));
  });
}

void GraspHost::recall_threads(const Coordinate& back) {
  const auto kept = held_of(store_, back);
  const bool done =
      kept && some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
        const auto here = store_.snapshot();
        return here && is_announced(back) && serve_again(back, held::read(back, some, **here));
      });
  if (done) threads_settled(back);
}

void GraspHost::threads_settled(const Coordinate& coordinate) {
  grasp::Transition changes;
  hosting_.ask([&](grasp::Policy& policy) { policy.threads_settled(coordinate, changes); });
  write_and_perform(std::move(changes));
}

void GraspHost::lose_threads(const Coordinate& lost) {
  const auto kept = held_of(store_, lost);
  const bool done = kept && some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
                      if (is_announced(lost)) return false;
                      store::Changes letting_go;
                      for (const nostr::EventId& id : some)
                        letting_go.push_back(held::letting_go(lost, id));
                      return hosting_.admit({}, std::move(letting_go)).has_value();
                    });
  if (done) threads_settled(lost);
}

}  // namespace graspd::serve
