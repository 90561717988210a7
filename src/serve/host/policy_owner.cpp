#include "serve/host/policy_owner.h"

#include <future>

#include "core/check.h"
#include "net/clock.h"

namespace graspd::serve {

core::Result<core::Done, store::StoreError> PolicyOwner::load(core::UnixSeconds now) {
  std::lock_guard lock(mutex_);
  auto loaded = policy_.load(now);
  changed_listings_ = policy_.take_changed_listings();
  return loaded;
}

std::set<grasp::Coordinate> PolicyOwner::take_changed_listings() {
  std::lock_guard lock(changed_mutex_);
  return std::exchange(changed_listings_, {});
}

void PolicyOwner::change(Request request) {
  CHECK(ingest_);
  ingest_->admit(admission_of(std::move(request)));
}

bool PolicyOwner::change_and_wait(const Request& request) {
  return wait_for(admission_of(request));
}

bool PolicyOwner::release(std::vector<nostr::WireEventPtr> events, const Request& with) {
  const auto prepare = [&](grasp::Policy& policy, core::UnixSeconds now,
                           grasp::Transition& changes) {
    with(policy, now, changes);
    for (const nostr::WireEventPtr& wire : events)
      for (store::Note& note : policy.notes_of_release(wire->event))
        changes.put_note(std::move(note));
  };
  return store_and_wait(
      events, prepare,
      [](grasp::Policy& policy, const nostr::WireEventPtr& event, store::Outcome outcome,
         grasp::Transition& changes) { policy.released(event, outcome, changes); });
}

bool PolicyOwner::store_again(std::vector<nostr::WireEventPtr> events, const Request& with) {
  return store_and_wait(std::move(events), with,
                        [](grasp::Policy& policy, const nostr::WireEventPtr& event,
                           store::Outcome outcome, grasp::Transition& changes) {
                          policy.settled(event, outcome, net::now().unix_seconds, changes);
                        });
}

bool PolicyOwner::store_and_wait(std::vector<nostr::WireEventPtr> events, const Request& with,
                                 const Stored& stored) {
  Admission admission = admission_of(with);
  admission.events = std::move(events);
  admission.settled = [this, &stored,
                       events = admission.events](std::span<const store::Written> fates) {
    grasp::Transition changes;
    {
      std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < events.size(); ++i)
        stored(policy_, events[i], fates[i].outcome, changes);
    }
    follow(std::move(changes));
  };
  return wait_for(std::move(admission));
}

Admission PolicyOwner::admission_of(Request request) {
  Admission admission;
  admission.prepare = [this, request = std::move(request)](store::Changes& changes) {
    execute(request, changes);
  };
  return admission;
}

bool PolicyOwner::wait_for(Admission admission) {
  CHECK(ingest_ && !ingest_->is_writer());  // it would wait for itself
  auto done = std::make_shared<std::promise<bool>>();
  auto durable = done->get_future();
  admission.done = [done](std::span<const store::Written>, bool is_durable) {
    done->set_value(is_durable);
  };
  ingest_->admit(std::move(admission));
  return durable.get();
}

void PolicyOwner::execute(const Request& request, store::Changes& changes) {
  grasp::Transition transition;
  {
    std::lock_guard lock(mutex_);
    request(policy_, net::now().unix_seconds, transition);
  }
  hand_over(std::move(transition), changes);
}

// What is written with the transaction; should that fail, it has to be known what it was.
void PolicyOwner::hand_over(grasp::Transition decided, store::Changes& changes) {
  for (store::Change& change : decided.take_writes()) {
    if (const auto* note = std::get_if<store::Note>(&change)) note_keys_.push_back(note->key);
    changes.push_back(std::move(change));
  }
  pending_.append(std::move(decided));
}

// R4
void PolicyOwner::follow(grasp::Transition changes) {
  if (auto writes = changes.take_writes(); !writes.empty()) ingest_->admit({{}, std::move(writes)});
  pending_.append(std::move(changes));
}

grasp::Verdict PolicyOwner::decide(const nostr::WireEventPtr& event, const grasp::Origin& origin,
                                   store::Changes& changes) {
  grasp::Transition decided;
  std::unique_lock lock(mutex_);
  auto verdict = policy_.decide(event, origin, net::now().unix_seconds, decided);
  lock.unlock();
  hand_over(std::move(decided), changes);
  return verdict;
}

void PolicyOwner::refused(const nostr::WireEventPtr& event, const grasp::Origin& origin,
                          grasp::Reason reason, store::Changes& changes) {
  grasp::Transition remembered;
  std::unique_lock lock(mutex_);
  policy_.refused(event, origin, reason, net::now().unix_seconds, remembered);
  lock.unlock();
  hand_over(std::move(remembered), changes);
}

void PolicyOwner::settled(std::span<const relay::Settled> events) {
  grasp::Transition changes;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [event, outcome] : events)
      policy_.settled(event, outcome, net::now().unix_seconds, changes);
  }
  follow(std::move(changes));
}

void PolicyOwner::committed() {
  note_keys_.clear();
  std::set<grasp::Coordinate> changed;
  {
    std::lock_guard lock(mutex_);
    changed = policy_.take_changed_listings();
  }
  if (!changed.empty()) {
    std::lock_guard lock(changed_mutex_);
    changed_listings_.merge(std::move(changed));
  }
  if (!pending_.empty()) perform_(std::exchange(pending_, {}));
}

// R2
void PolicyOwner::failed() {
  const auto keys = std::exchange(note_keys_, {});
  const grasp::Transition left = std::exchange(pending_, {});
  grasp::Transition changes;
  {
    std::lock_guard lock(mutex_);
    policy_.revert(keys, left, net::now().unix_seconds, changes);
  }
  follow(std::move(changes));
  committed();
}

void add_writes(grasp::Transition& to, store::Changes writes) {
  for (store::Change& write : writes) std::visit([&](auto& one) { to.add(std::move(one)); }, write);
}

}  // namespace graspd::serve
