#include "serve/host/thread_archive.h"

#include <algorithm>
#include <functional>

#include "core/log.h"
#include "grasp/held_threads.h"
#include "grasp/threads.h"
#include "net/clock.h"

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

// No snapshot is held while they are written.
std::optional<std::vector<nostr::WireEventPtr>> held_events(const store::EventStore& store,
                                                            const Coordinate& of,
                                                            std::span<const nostr::EventId> ids) {
  const auto here = store.snapshot();
  if (!here) return std::nullopt;
  return held::read(of, ids, **here);
}

bool is_held_state(const nostr::WireEventPtr& wire) {
  return wire->event.kind == grasp::kinds::kState;
}
// Its refs are gone: it is decided anew.
bool is_held_pull(const nostr::WireEventPtr& wire) {
  const nostr::Kind kind = wire->event.kind;
  return kind == grasp::kinds::kPullRequest || kind == grasp::kinds::kPullRequestUpdate;
}

// Deleted or expired while it was kept apart: nobody sees it again.
bool may_return(const nostr::WireEvent& wire, const store::Snapshot& here, core::UnixSeconds now) {
  const auto outcome = here.judge(wire, now);
  return !outcome || *outcome == store::Outcome::Stored || *outcome == store::Outcome::Duplicate;
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

void ThreadArchive::archive(const grasp::Departed& gone) {
  worker_.post([this, gone] { end(gone, Keep::Yes); });
}

void ThreadArchive::remove(const grasp::Departed& gone) {
  worker_.post([this, gone] { end(gone, Keep::No); });
}

void ThreadArchive::restore(const Coordinate& back) {
  worker_.post([this, back] { bring_back(back); });
}

void ThreadArchive::forget(const Coordinate& lost) {
  worker_.post([this, lost] { lose(lost); });
}

bool ThreadArchive::change_unless(Back back, const Coordinate& gone,
                                  const PolicyOwner::Request& request) {
  bool is_back = false;
  const bool durable = hosting_.change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        is_back = back == Back::Served ? policy.current().is_served(gone)
                                       : policy.catalog().find(gone) != nullptr;
        if (!is_back) request(policy, now, changes);
      });
  return durable && !is_back;
}

// R4. What goes for good stays as long as the repository is listed.
void ThreadArchive::end(const grasp::Departed& departed, Keep keep) {
  const Coordinate& gone = departed.coordinate;
  const auto known = hosting_.known();
  if (keep == Keep::Yes ? known->is_served(gone) : known->catalog().find(gone) != nullptr) return;
  const auto lies_in_pr_repository = [&](const grasp::PullRequest& pull) {
    return !hosting_.known()->pr_repositories_of(pull).empty();
  };
  const auto ended = ended_now(hosting_.store, departed, lies_in_pr_repository);
  if (!ended) {
    core::log::warn("what hung on the repository {} is too much to go with it", gone.path());
    return;
  }
  const bool done = some_at_a_time(ended->events, [&](std::span<const nostr::EventId> some) {
    return end_some(gone, some, keep, *ended);
  });
  if (done && !ended->states.empty()) end_states(gone, keep, *ended);
}

store::Changes ThreadArchive::removals(const Coordinate& gone, std::span<const nostr::EventId> some,
                                       Keep keep) const {
  store::Changes writes;
  const auto here = hosting_.store.snapshot();
  if (!here) return writes;
  for (const nostr::EventId& id : some) {
    writes.push_back(store::Remove{id});
    if (keep == Keep::No) continue;
    if (auto note = held::keeping(gone, id, **here)) writes.push_back(*std::move(note));
  }
  return writes;
}

bool ThreadArchive::end_some(const Coordinate& gone, std::span<const nostr::EventId> some,
                             Keep keep, const grasp::EndedThreads& all) {
  const auto writes = removals(gone, some, keep);
  if (writes.empty()) return false;
  const bool is_last = some.back() == all.events.back();
  return change_unless(keep == Keep::Yes ? Back::Served : Back::Listed, gone,
                       [&](const grasp::Policy&, core::UnixSeconds, grasp::Transition& changes) {
                         add_writes(changes, writes);
                         if (!is_last) return;
                         for (const grasp::PullRequest& pull : all.pulls)
                           changes.add(grasp::DropPullRefs::of(pull));
                       });
}

// They do not rule any more: in the same transaction, because whoever announces the repository
// again brings them back.
void ThreadArchive::end_states(const Coordinate& gone, Keep keep, const grasp::EndedThreads& all) {
  std::vector<nostr::EventId> ids;
  std::vector<Coordinate> keys;
  for (const auto& state : all.states) {
    ids.push_back(state.id);
    keys.push_back(state.key);
  }
  const auto writes = removals(gone, ids, keep);
  change_unless(Back::Listed, gone,
                [&](grasp::Policy& policy, core::UnixSeconds, grasp::Transition& changes) {
                  add_writes(changes, writes);
                  policy.states_ended(keys, changes);
                });
}

bool ThreadArchive::serve_again(const Coordinate& back, std::vector<nostr::WireEventPtr> events) {
  store::Changes letting_go;
  for (const auto& wire : events) letting_go.push_back(held::letting_go(back, wire->event.id));
  const auto others = std::ranges::stable_partition(events, std::not_fn(is_held_pull));
  const std::vector<nostr::WireEventPtr> pulls(others.begin(), others.end());
  events.erase(others.begin(), others.end());
  return hosting_.policy.store_again(
      std::move(events),
      [&](const grasp::Policy&, core::UnixSeconds now, grasp::Transition& changes) {
        add_writes(changes, letting_go);
        const auto here = hosting_.store.snapshot();
        for (const nostr::WireEventPtr& pull : pulls)  // R3
          if (!here || may_return(*pull, **here, now))
            changes.add(grasp::Retry{pull, {}});
          else
            changes.add(grasp::DropPullRefs::of(grasp::parse_pull_request(pull->event)));
      });
}

void ThreadArchive::restore_states(const nostr::Event& announcement) {
  const auto announced = grasp::parse_announcement(announcement);
  if (!announced) return;
  const Coordinate& back = announced->coordinate;
  if (!hosting_.known()->has_ended_threads(back)) return;
  const auto kept = held_of(hosting_.store, back);
  if (!kept) return;
  some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
    auto events = held_events(hosting_.store, back, some);
    if (!events) return false;
    std::erase_if(*events, std::not_fn(is_held_state));
    return events->empty() ||
           hosting_.change_and_wait(
               [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
                 for (const auto& state : *events) policy.await_again(state, now, changes);
               });
  });
}

void ThreadArchive::bring_back(const Coordinate& back) {
  const auto kept = held_of(hosting_.store, back);
  const bool done =
      kept && some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
        auto events = held_events(hosting_.store, back, some);
        return events && hosting_.known()->is_served(back) && serve_again(back, *std::move(events));
      });
  if (done) settled(back);
}

void ThreadArchive::lose(const Coordinate& lost) {
  const auto kept = held_of(hosting_.store, lost);
  const bool done =
      kept && some_at_a_time(*kept, [&](std::span<const nostr::EventId> some) {
        store::Changes letting_go;
        for (const nostr::EventId& id : some) letting_go.push_back(held::letting_go(lost, id));
        return change_unless(Back::Listed, lost,
                             [&](grasp::Policy&, core::UnixSeconds, grasp::Transition& to) {
                               add_writes(to, letting_go);
                             });
      });
  if (done) settled(lost);
}

void ThreadArchive::settled(const Coordinate& repository) {
  hosting_.change(
      [repository](grasp::Policy& policy, core::UnixSeconds, grasp::Transition& changes) {
        policy.threads_settled(repository, changes);
      });
}

}  // namespace graspd::serve
