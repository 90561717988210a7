#include "store/testing/memory_store.h"

#include <algorithm>

#include "core/check.h"
#include "nostr/replaceable.h"
#include "store/testing/memory_snapshot.h"

namespace graspd::store {
namespace {

using Kept = MemoryStore::Kept;
using State = MemoryStore::State;
using nostr::Event;

template <class Predicate>
void remove_where(State& state, const Predicate& doomed) {
  std::erase_if(state.kept, [&](const Kept& kept) { return doomed(kept); });
}

bool is_undeletable(nostr::Kind kind) {
  return kind == nostr::kinds::kDeletion || kind == nostr::kinds::kVanish;
}

bool has_vanished(const State& state, const nostr::PublicKey& who, core::UnixSeconds created_at) {
  const auto at = state.vanished.find(who);
  return at != state.vanished.end() && created_at <= at->second;
}

bool is_wrapped_for(const Event& event, const nostr::PublicKey& who) {
  if (event.kind != nostr::kinds::kGiftWrap) return false;
  return std::any_of(event.tags.begin(), event.tags.end(), [&](nostr::Tag tag) {
    return tag.letter() == 'p' && tag.value() == who.hex();
  });
}

bool is_vanished(const State& state, const Event& event) {
  if (has_vanished(state, event.pubkey, event.created_at)) return true;
  return std::any_of(state.vanished.begin(), state.vanished.end(), [&](const auto& vanished) {
    return is_wrapped_for(event, vanished.first) && event.created_at <= vanished.second;
  });
}

bool is_deleted(const State& state, const Event& event) {
  if (is_undeletable(event.kind)) return false;
  if (state.deleted_ids.contains({event.id, event.pubkey})) return true;
  const auto address = nostr::address_of(event);
  if (!address) return false;
  const auto at = state.deleted_addresses.find(*address);
  return at != state.deleted_addresses.end() && event.created_at <= at->second;
}

bool is_superseded(const State& state, const Event& event) {
  const auto address = nostr::address_of(event);
  if (!address) return false;
  return std::any_of(state.kept.begin(), state.kept.end(), [&](const Kept& kept) {
    const Event& holder = kept.event();
    return nostr::address_of(holder) == address &&
           !nostr::wins({event.created_at, event.id}, {holder.created_at, holder.id});
  });
}

void replace_older_versions(State& state, const Event& event) {
  const auto address = nostr::address_of(event);
  if (!address) return;
  remove_where(state, [&](const Kept& kept) { return nostr::address_of(kept.event()) == address; });
}

void apply_deletion(State& state, const Event& deletion) {
  const nostr::Deletions asked = nostr::requested_deletions(deletion);
  for (const nostr::EventId& id : asked.ids) state.deleted_ids.insert({id, deletion.pubkey});
  for (const nostr::Address& address : asked.addresses) {
    auto& until = state.deleted_addresses.try_emplace(address, deletion.created_at).first->second;
    until = std::max(until, deletion.created_at);
  }
  remove_where(state, [&](const Kept& kept) { return is_deleted(state, kept.event()); });
}

void apply_vanish(State& state, const Event& request) {
  auto& until = state.vanished.try_emplace(request.pubkey, request.created_at).first->second;
  until = std::max(until, request.created_at);
  remove_where(state, [&](const Kept& kept) {
    const Event& event = kept.event();
    return event.id != request.id && event.created_at <= request.created_at &&
           (event.pubkey == request.pubkey || is_wrapped_for(event, request.pubkey));
  });
}

Written write_one(State& state, const Write& write, core::UnixSeconds now) {
  const Event& event = write.event->event;
  const Outcome outcome = MemoryStore::judge(state, event, now);
  if (outcome != Outcome::Stored) return {outcome, 0};
  replace_older_versions(state, event);
  state.kept.push_back({++state.newest, write.event});
  if (event.kind == nostr::kinds::kDeletion) apply_deletion(state, event);
  if (write.vanish) apply_vanish(state, event);
  return {Outcome::Stored, state.newest};
}

void lift(State& state, const Event& request) {
  std::vector<nostr::Deletions> others;
  std::vector<core::UnixSeconds> times;
  for (const Kept& kept : state.kept) {
    const Event& other = kept.event();
    if (other.kind != nostr::kinds::kDeletion || other.pubkey != request.pubkey) continue;
    others.push_back(nostr::requested_deletions(other));
    times.push_back(other.created_at);
  }
  const nostr::Deletions asked = nostr::requested_deletions(request);
  for (const nostr::EventId& id : asked.ids) {
    const auto names = [&](const auto& other) { return std::ranges::count(other.ids, id) > 0; };
    if (std::ranges::none_of(others, names)) state.deleted_ids.erase({id, request.pubkey});
  }
  for (const nostr::Address& address : asked.addresses) {
    const auto at = state.deleted_addresses.find(address);
    if (at == state.deleted_addresses.end() || at->second != request.created_at) continue;
    state.deleted_addresses.erase(at);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (std::ranges::count(others[i].addresses, address) == 0) continue;
      auto& until = state.deleted_addresses.try_emplace(address, times[i]).first->second;
      until = std::max(until, times[i]);
    }
  }
  const auto vanished = state.vanished.find(request.pubkey);
  const bool is_its_own = vanished != state.vanished.end() &&
                          request.kind == nostr::kinds::kVanish &&
                          vanished->second == request.created_at;
  if (is_its_own) state.vanished.erase(vanished);
}

void revoke(State& state, const nostr::EventId& id) {
  const auto at =
      std::ranges::find_if(state.kept, [&](const Kept& kept) { return kept.event().id == id; });
  if (at == state.kept.end()) return;
  const nostr::WireEventPtr request = at->wire;
  state.kept.erase(at);
  lift(state, request->event);
}

void keep_or_erase(State& state, const Note& note) {
  CHECK(note.key.size() <= kNoteKeyMax);
  if (note.value)
    state.notes.insert_or_assign(note.key, *note.value);
  else
    state.notes.erase(note.key);
}

}  // namespace

Outcome MemoryStore::judge(const State& state, const Event& event, core::UnixSeconds now) {
  const auto is_same = [&](const Kept& kept) { return kept.event().id == event.id; };
  if (nostr::is_expired(event, now)) return Outcome::Expired;
  if (std::any_of(state.kept.begin(), state.kept.end(), is_same)) return Outcome::Duplicate;
  if (is_vanished(state, event)) return Outcome::Vanished;
  if (is_deleted(state, event)) return Outcome::Deleted;
  if (is_superseded(state, event)) return Outcome::Superseded;
  return Outcome::Stored;
}

MemoryStore::MemoryStore() : state_(std::make_shared<const State>()) {}

core::Result<std::vector<Written>, StoreError> MemoryStore::write(const Batch& batch,
                                                                  core::UnixSeconds now) {
  State next = *state();
  for (const nostr::EventId& id : batch.removals)
    remove_where(next, [&](const Kept& kept) { return kept.event().id == id; });
  std::vector<Written> outcomes;
  for (const Write& write : batch.events) outcomes.push_back(write_one(next, write, now));
  for (const nostr::EventId& id : batch.revoked) revoke(next, id);
  for (const Note& note : batch.notes) keep_or_erase(next, note);
  publish(std::move(next));
  return outcomes;
}

core::Result<std::size_t, StoreError> MemoryStore::remove_expired(core::UnixSeconds now,
                                                                  std::size_t max) {
  State next = *state();
  std::set<std::pair<core::UnixSeconds, Serial>> overdue;
  for (const Kept& kept : next.kept) {
    if (!nostr::is_expired(kept.event(), now)) continue;
    overdue.insert({*nostr::expiration(kept.event()), kept.serial});
  }
  while (overdue.size() > max) overdue.erase(std::prev(overdue.end()));
  for (const auto& due : overdue) {
    remove_where(next, [&](const Kept& kept) { return kept.serial == due.second; });
  }
  publish(std::move(next));
  return overdue.size();
}

core::Result<std::unique_ptr<Snapshot>, StoreError> MemoryStore::snapshot() const {
  return std::unique_ptr<Snapshot>(std::make_unique<MemorySnapshot>(state()));
}

Serial MemoryStore::newest() const { return state()->newest; }

std::shared_ptr<const State> MemoryStore::state() const { return std::atomic_load(&state_); }

void MemoryStore::publish(State state) {
  std::atomic_store(&state_, std::make_shared<const State>(std::move(state)));
}

}  // namespace graspd::store
