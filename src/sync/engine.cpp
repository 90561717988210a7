#include "sync/engine.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::sync {

Engine::Engine(Options options, core::Rng rng)
    : context_(std::move(options), rng), places_(context_.options.places) {}

Actions Engine::step(core::Now now, const Input& input) {
  context_.actions.clear();
  ++context_.meter.steps;
  std::visit([&](const auto& event) { on(now, event); }, input);
  if (places_.has_free()) fill_places(now);
  while (const auto admitted = context_.history.take_admitted(now.instant)) {
    const auto at = relays_.find(*admitted);
    if (at == relays_.end() || at->second->connection() == nullptr) {
      context_.history.leave(*admitted);
    } else {
      tend(now, *at->second);
    }
  }
  start_dials(now);
  arm(now);
  return std::move(context_.actions);
}

void Engine::on(core::Now now, const RootTouched& in) {
  (void)now;
  context_.index.touch(in.id, in.created_at);
}

void Engine::on(core::Now now, const Restored& in) {
  (void)now;
  for (const RelayRecord& record : in.relays) records_.insert_or_assign(record.url, record);
}

void Engine::on(core::Now now, const WantedAgain& in) {
  const auto handle = handles_.find(in.url);
  if (handle == handles_.end()) return;
  Relay& relay = *relays_.at(handle->second);
  for (const nostr::EventId& id : in.ids) relay.memory.lost.add(id, now.instant);
  relay.memory.dirty = true;
  tend(now, relay);
}

void Engine::on(core::Now now, const RetryWanted& in) {
  const auto handle = handles_.find(in.url);
  if (handle == handles_.end()) return;
  Relay& relay = *relays_.at(handle->second);
  relay.memory.health.retry_now(now);
  relay.memory.information_read_at.reset();
  if (PeerSession* connection = relay.connection()) connection->retry_now(now);
  tend(now, relay);
}

void Engine::on(core::Now now, const StopWanted& in) {
  (void)in;
  for (auto& [id, relay] : relays_) save(now, *relay);
  stopped_ = true;
  dial_queue_.clear();
  for (auto& [id, relay] : relays_) {
    PeerSession* connection = relay->connection();
    if (connection == nullptr) continue;
    connection->close_all();
    hang_up(now, *relay, "shutting down", false);
  }
}

void Engine::on(core::Now now, const Alarm& in) {
  (void)in;
  armed_.reset();
  while (const auto key = alarms_.take_due(now.instant)) {
    if (*key == kFeedAlarm) {
      commit(now);
    } else if (*key != kDialAlarm) {
      fall_due(now, RelayId{*key});
    }
  }
}

void Engine::arm(core::Now now) {
  (void)now;
  const auto next = alarms_.next();
  // Every event puts off what is due next: an alarm that comes too early is cheaper than one set
  // anew for each.
  const bool is_in_time = next && armed_ && *armed_ <= *next;
  if (!next || is_in_time || stopped_) return;
  armed_ = next;
  context_.ask(WakeAt{*next});
}

const Relay* Engine::find(const nostr::RelayUrl& url) const {
  const auto handle = handles_.find(url);
  return handle == handles_.end() ? nullptr : relays_.at(handle->second).get();
}

bool Engine::is_settled(core::Now now) const {
  if (!staged_.empty()) return false;
  return std::all_of(relays_.begin(), relays_.end(), [&](const auto& one) {
    const Relay& relay = *one.second;
    if (!is_wanted(relay, now)) return true;
    const PeerSession* connection = relay.connection();
    return connection != nullptr && connection->is_caught_up(now) &&
           new_work(context_.targets.of(one.first), {}, relay.memory.confirmed).empty();
  });
}

void Engine::check_invariants() const {
  for (const auto& [id, relay] : relays_) {
    CHECK(relay->memory.id == id);
    CHECK(handles_.at(relay->memory.url) == id);
    if (const PeerSession* connection = relay->connection()) connection->check_invariants();
  }
}

void Engine::check_books() const {
  for (const auto& [id, relay] : relays_) {
    if (const PeerSession* connection = relay->connection()) connection->check_books();
  }
  places_.check_invariants();
}

}  // namespace graspd::sync
