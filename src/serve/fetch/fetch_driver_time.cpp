// What the fetch driver does by the clock.
#include <algorithm>

#include "net/clock.h"
#include "serve/fetch/fetch_driver.h"

namespace graspd::serve {

using grasp::Coordinate;
using grasp::Identifier;

void FetchDriver::keep_time() {
  core::Instant next_tick = net::now().instant + options_.tick;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const core::Instant now = net::now().instant;
    if (wake_at_ && *wake_at_ <= now) {
      wake_at_.reset();
      step(git::fetch::Alarm{});
      continue;
    }
    if (next_tick <= now) {
      next_tick = now + options_.tick;
      lock.unlock();
      tick();  // not behind what looks into repositories: that may take longer than waiting lasts
      lock.lock();
      continue;
    }
    wake_.wait_for(lock, std::min(next_tick, wake_at_.value_or(next_tick)) - now);
  }
}

void FetchDriver::tick() {
  forget_what_no_longer_waits();
  extend_what_is_on_its_way();
  std::lock_guard lock(mutex_);
  std::set<git::fetch::RepoKey> fetched;
  for (const auto& [event, told] : told_) fetched.insert({told.view.path()});
  std::erase_if(views_, [&](const auto& entry) {
    return !fetched.contains(entry.first) && !scheduler_.is_running(entry.first);
  });
  const std::uint64_t ended = scheduler_.meter().satisfied + scheduler_.meter().dropped;
  if (std::exchange(ended_, ended) == ended) return;  // there is no more space than before
  for (const Identifier& identifier : std::exchange(put_off_, {})) look_soon(identifier);
}

void FetchDriver::forget_what_no_longer_waits() {
  std::lock_guard lock(mutex_);
  std::vector<git::fetch::EventKey> gone;
  host_.hosting().ask([&](const grasp::Policy& policy) {
    for (const auto& [event, told] : told_) {
      if (is_repair(told.reason)) continue;
      const auto id = *nostr::EventId::from_hex(event.value);
      const auto states = policy.purgatory().states(told.view.identifier);
      const bool waits = policy.purgatory().pull(id) ||
                         std::ranges::any_of(states, [&](const grasp::HeldState* held) {
                           return held->state.id == id;
                         });
      if (!waits) gone.push_back(event);
    }
  });
  for (const auto& event : gone) forget(event);
}

// R3
void FetchDriver::extend_what_is_on_its_way() {
  const core::UnixSeconds now = net::now().unix_seconds;
  const auto soon =
      now + 3 * std::chrono::duration_cast<std::chrono::seconds>(options_.tick).count();
  grasp::Transition changes;
  {
    std::lock_guard lock(mutex_);
    host_.hosting().ask([&](grasp::Policy& policy) {
      auto& purgatory = policy.purgatory();
      for (auto& [event, told] : told_) {
        if (is_repair(told.reason) || told.extensions >= options_.extensions_max) continue;
        if (!scheduler_.is_running({told.view.path()})) continue;
        if (extend(purgatory, told.view, *nostr::EventId::from_hex(event.value), soon, changes))
          ++told.extensions;
      }
    });
  }
  if (!changes.empty()) host_.hosting().ingest->admit({{}, changes.take_writes(), nullptr});
}

bool FetchDriver::extend(grasp::Purgatory& purgatory, const Coordinate& view,
                         const nostr::EventId& id, core::UnixSeconds soon,
                         grasp::Transition& changes) {
  const core::UnixSeconds now = net::now().unix_seconds;
  bool extended = false;
  if (const auto* held = purgatory.announcement(view); held && held->expires <= soon) {
    purgatory.extend(view, now, changes);
    extended = true;
  }
  if (const auto* held = purgatory.pull(id); held && held->expires <= soon) {
    purgatory.extend_pull(id, now, changes);
    extended = true;
  }
  for (const auto* held : purgatory.states(view.identifier)) {
    if (held->state.id != id || held->expires > soon) continue;
    purgatory.extend_state({held->state.author, view.identifier}, now, changes);
    extended = true;
  }
  return extended;
}

}  // namespace graspd::serve
