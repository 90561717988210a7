#include "serve/host/policy_owner.h"

#include <algorithm>
#include <future>
#include <iterator>

#include "core/check.h"
#include "net/clock.h"

namespace graspd::serve {

core::Result<core::Done, store::StoreError> PolicyOwner::load(core::UnixSeconds now) {
  auto loaded = policy_.load(now);
  publish();
  return loaded;
}

KnownPolicy PolicyOwner::known() const {
  std::lock_guard lock(known_mutex_);
  return known_;
}

// R3
void PolicyOwner::publish() {
  auto changed = policy_.take_changed_listings();
  std::lock_guard lock(known_mutex_);
  known_ = policy_.snapshot();
  changed_listings_.merge(std::move(changed));
}

std::set<grasp::Coordinate> PolicyOwner::take_changed_listings() {
  std::lock_guard lock(known_mutex_);
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
    for (std::size_t i = 0; i < events.size(); ++i)
      stored(policy_, events[i], fates[i].outcome, changes);
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
  request(policy_, net::now().unix_seconds, transition);
  hand_over(std::move(transition), changes);
}

void PolicyOwner::hand_over(grasp::Transition decided, store::Changes& changes) {
  std::ranges::move(decided.take_writes(), std::back_inserter(changes));
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
  auto verdict = policy_.decide(event, origin, net::now().unix_seconds, decided);
  hand_over(std::move(decided), changes);
  return verdict;
}

void PolicyOwner::refused(const nostr::WireEventPtr& event, const grasp::Origin& origin,
                          grasp::Reason reason, store::Changes& changes) {
  grasp::Transition remembered;
  policy_.refused(event, origin, reason, net::now().unix_seconds, remembered);
  hand_over(std::move(remembered), changes);
}

void PolicyOwner::settled(std::span<const relay::Settled> events) {
  grasp::Transition changes;
  for (const auto& [event, outcome] : events)
    policy_.settled(event, outcome, net::now().unix_seconds, changes);
  follow(std::move(changes));
}

void PolicyOwner::committed() {
  policy_.commit();
  publish();
  if (!pending_.empty()) perform_(std::exchange(pending_, {}));
}

// R2
void PolicyOwner::failed() {
  pending_ = {};
  policy_.fail();
  publish();
}

void add_writes(grasp::Transition& to, store::Changes writes) {
  for (store::Change& write : writes) std::visit([&](auto& one) { to.add(std::move(one)); }, write);
}

}  // namespace graspd::serve
