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
  for (const auto& [event, told] : told_) fetched.insert({told.coordinate.path()});
  std::erase_if(coordinates_, [&](const auto& entry) {
    return !fetched.contains(entry.first) && !scheduler_.is_running(entry.first);
  });
  const std::uint64_t ended = scheduler_.meter().satisfied + scheduler_.meter().dropped;
  if (std::exchange(ended_, ended) == ended) return;  // there is no more space than before
  for (const Identifier& identifier : std::exchange(put_off_, {})) look_soon(identifier);
}

void FetchDriver::forget_what_no_longer_waits() {
  std::lock_guard lock(mutex_);
  std::vector<git::fetch::EventKey> gone;
  {
    const auto known = host_.hosting().known();
    for (const auto& [event, told] : told_) {
      if (is_repair(told.reason)) continue;
      const auto id = *nostr::EventId::from_hex(event.value);
      const auto states = known->purgatory().states().of(told.coordinate.identifier);
      const bool waits = known->purgatory().pull(id) ||
                         std::ranges::any_of(states, [&](const grasp::HeldState* held) {
                           return held->state.id == id;
                         });
      if (!waits) gone.push_back(event);
    }
  }
  for (const auto& event : gone) forget(event);
}

// R3
void FetchDriver::extend_what_is_on_its_way() {
  const auto soon = net::now().unix_seconds +
                    3 * std::chrono::duration_cast<std::chrono::seconds>(options_.tick).count();
  auto due = on_their_way();
  {
    const auto known = host_.hosting().known();
    std::erase_if(due, [&](const Arriving& one) { return !ends_by(*known, one, soon); });
  }
  if (due.empty()) return;
  const bool durable = host_.hosting().change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        for (const Arriving& one : due) extend(policy.purgatory(), one, soon, now, changes);
      });
  if (!durable) return;
  std::lock_guard lock(mutex_);
  for (const Arriving& one : due)
    if (const auto at = told_.find({one.id.hex()}); at != told_.end()) ++at->second.extensions;
}

std::vector<FetchDriver::Arriving> FetchDriver::on_their_way() const {
  std::lock_guard lock(mutex_);
  std::vector<Arriving> all;
  for (const auto& [event, told] : told_) {
    if (is_repair(told.reason) || told.extensions >= options_.extensions_max) continue;
    if (scheduler_.is_running({told.coordinate.path()}))
      all.push_back({told.coordinate, *nostr::EventId::from_hex(event.value)});
  }
  return all;
}

bool FetchDriver::ends_by(const grasp::PolicySnapshot& policy, const Arriving& one,
                          core::UnixSeconds soon) {
  const grasp::Purgatory& purgatory = policy.purgatory();
  const auto ends = [&](const grasp::Held* held) { return held && held->expires <= soon; };
  const auto states = purgatory.states().of(one.coordinate.identifier);
  return ends(purgatory.announcement(one.coordinate)) || ends(purgatory.pull(one.id)) ||
         std::ranges::any_of(states, [&](const grasp::HeldState* held) {
           return held->state.id == one.id && ends(held);
         });
}

void FetchDriver::extend(grasp::Purgatory& purgatory, const Arriving& one, core::UnixSeconds soon,
                         core::UnixSeconds now, grasp::Transition& changes) {
  const auto ends = [&](const grasp::Held* held) { return held && held->expires <= soon; };
  if (ends(purgatory.announcement(one.coordinate))) purgatory.extend(one.coordinate, now, changes);
  if (ends(purgatory.pull(one.id))) purgatory.extend_pull(one.id, now, changes);
  for (const auto* held : purgatory.states().of(one.coordinate.identifier))
    if (held->state.id == one.id && ends(held))
      purgatory.extend_state({held->state.author, one.coordinate.identifier}, now, changes);
}

}  // namespace graspd::serve
