// The owner of the acceptance policy: how it is read, and how it is changed.
//
//   R1  Only the writer's thread (serve/relay/ingest.h) changes the policy: when it decides about
//       events, and when it executes requests. Requests are executed in the order they came,
//       between two batches of events.
//   R2  What a request changes is written in one transaction. What follows from it (alignment,
//       removal, retries …) is performed when that is durable. When the transaction fails, nothing
//       of it counts, and nothing follows.
//   R3  Readers see what was committed. Whoever waited for a request, or for the answer to an
//       event, finds its effect in the next reader.
//   R4  What a commit itself brings about (an event is stored, others may be tried again) counts
//       with it. The notes of it are written in the next transaction.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "grasp/policy.h"
#include "relay/acceptance.h"
#include "serve/relay/ingest.h"

namespace graspd::serve {

// What was committed, for reading. It stays as it is: one task asks one reader.
using KnownPolicy = std::shared_ptr<const grasp::PolicySnapshot>;

class PolicyOwner {
 public:
  // Changes the policy. What it adds to `changes` is written, then done.
  using Request =
      std::function<void(grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes)>;
  // Does what is left of a transition when its writes are taken out. Called by the writer: it only
  // hands over.
  using Perform = std::function<void(grasp::Transition changes)>;

  PolicyOwner(grasp::PolicyOptions options, const store::EventStore& store)
      : policy_(std::move(options), store), known_(policy_.snapshot()) {}

  // Reads what an earlier run left. Before everything else.
  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);
  void perform_with(Perform perform) { perform_ = std::move(perform); }
  void open(Ingest& ingest) { ingest_ = &ingest; }

  // From any thread.
  KnownPolicy known() const;
  // Coordinates whose listings came, went or changed since the last call.
  std::set<grasp::Coordinate> take_changed_listings();
  void change(Request request);
  // These wait until it is durable and announced, and tell whether it is. For threads that may
  // wait, and never with a reader in hand.
  bool change_and_wait(const Request& request);
  // Stores events whose git data has arrived. Which of them are stored is for the store to say.
  bool release(std::vector<nostr::WireEventPtr> events, const Request& with);
  // Stores events that were stored before and are to count again.
  bool store_again(std::vector<nostr::WireEventPtr> events, const Request& with);

  // For the writer: relay/acceptance.h.
  grasp::Verdict decide(const nostr::WireEventPtr& event, const grasp::Origin& origin,
                        store::Changes& changes);
  void refused(const nostr::WireEventPtr& event, const grasp::Origin& origin, grasp::Reason reason,
               store::Changes& changes);
  void settled(std::span<const relay::Settled> events);
  void committed();
  void failed();

 private:
  // What becomes of an event of a request when it was given to the store.
  using Stored = std::function<void(grasp::Policy& policy, const nostr::WireEventPtr& event,
                                    store::Outcome outcome, grasp::Transition& changes)>;
  Admission admission_of(Request request);
  bool wait_for(Admission admission);
  bool store_and_wait(std::vector<nostr::WireEventPtr> events, const Request& with,
                      const Stored& stored);
  void execute(const Request& request, store::Changes& changes);
  void hand_over(grasp::Transition decided, store::Changes& changes);
  void follow(grasp::Transition changes);
  void publish();

  grasp::Policy policy_;  // of the writer's thread
  Perform perform_ = [](const grasp::Transition&) {};
  Ingest* ingest_ = nullptr;
  // Of the transaction in the making, on the writer's thread:
  grasp::Transition pending_;  // to be performed when it is durable

  mutable std::mutex known_mutex_;  // of what the writer leaves for others
  KnownPolicy known_;
  std::set<grasp::Coordinate> changed_listings_;
};

// To what a request changes.
void add_writes(grasp::Transition& to, store::Changes writes);

}  // namespace graspd::serve
