// The GRASP side of the relay: its acceptance, made of the parts that host repositories.
//
//   R1  Decisions come from the policy at once (policy_owner.h); what needs a look at repositories
//       is deferred to workers and answered from there.
//   R2  What follows from a decision beyond the event happens after the decision is durable
//       (transition_performer.h).
//   R3  Nothing waits for a timer that an event could trigger; timers only end patience.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "gitio/process.h"
#include "relay/acceptance.h"
#include "serve/host/address_rates.h"
#include "serve/host/alignments.h"
#include "serve/host/hosting.h"
#include "serve/host/pr_push.h"
#include "serve/host/pull_intake.h"
#include "serve/host/repository_maintenance.h"
#include "serve/host/repository_push.h"
#include "serve/host/thread_archive.h"
#include "serve/host/transition_performer.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

struct GraspHostOptions {
  HostingOptions hosting;
  grasp::PolicyOptions policy;
  // They look into repositories and move refs: mostly waiting, for the disk or for one another. A
  // long copy in one group must not keep the others waiting.
  std::size_t git_threads = 16;
  // For pull requests that were just sent: few, because anybody may send many. A long copy for one
  // of them must not keep the others waiting.
  std::size_t pull_threads = 4;
  // For what nobody waits for.
  std::size_t alignment_threads = 2;
  gitio::ProcessLimits git_process;
  // Of one address, and about nothing that is here; 0: none.
  std::uint32_t stranger_ephemerals_per_minute = 60;
  core::Duration sweep_interval{5'000};
  core::Duration maintenance_interval = std::chrono::minutes(5);
};

class GraspHost : public relay::Acceptance {
 public:
  GraspHost(GraspHostOptions options, store::EventStore& store);
  ~GraspHost() override;

  // Reads what is kept, sweeps what a crash left. The failure is a sentence for the operator.
  core::Result<core::Done, std::string> load();
  // From here on events may be decided. What waited when the last run ended is looked at again.
  void open(Ingest& ingest);
  void close();  // after the last decision

  relay::Verdict decide(const nostr::WireEventPtr& event, const relay::Source& source,
                        store::Changes& changes) override;
  void settled(std::span<const relay::Settled> events) override;
  void committed() override;
  void failed() override;
  void refused(const nostr::WireEventPtr& event, const relay::Source& source,
               const relay::Refusal& refusal, store::Changes& changes) override;
  void proceed(const nostr::WireEventPtr& event, const relay::Source& source,
               relay::Answer answer) override;
  bool knows(const nostr::EventId& id) const override;
  std::vector<store::Position> known(const nostr::Filter& filter) const override;

  using WantedAgain = TransitionPerformer::WantedAgain;
  void on_wanted_again(WantedAgain callback) { performer_.on_wanted_again(std::move(callback)); }

  using Watcher = HostWatcher;
  void watch(Watcher& watcher) { alignments_.watch(watcher); }
  void unwatch(Watcher& watcher) { alignments_.unwatch(watcher); }

  Hosting& hosting() { return hosting_; }
  Alignments& alignments() { return alignments_; }
  RepositoryPush& pushes() { return pushes_; }
  PrPush& pr_pushes() { return pr_pushes_; }
  Workers& workers() { return workers_; }
  // An allowed push gives what it is for the full time, and keeps it until the guard goes.
  PushesUnderWay::Guard begin_push(grasp::BeingPushed push);
  // A repository was written to: it is looked after when there is time.
  void touched(const grasp::Coordinate& repository) { touched(hosting_.key(repository)); }
  void touched(const std::string& key) { maintenance_.touched(key); }

 private:
  relay::Verdict pass_on_for_stranger(const relay::Source& source);
  core::Result<core::Done, std::string> expect_same_service() const;
  void relist();
  PolicyOwner::Request sweep();

  const GraspHostOptions options_;
  Hosting hosting_;
  Workers workers_;
  Alignments alignments_;
  RepositoryMaintenance maintenance_;
  ThreadArchive threads_;
  PullIntake pulls_;
  RepositoryPush pushes_;
  PrPush pr_pushes_;
  TransitionPerformer performer_;
  // Of the writer's thread:
  AddressRates stranger_ephemerals_;
  std::vector<nostr::WireEventPtr> statuses_;  // stored in the transaction that ends
  std::unique_ptr<PeriodicTimer> sweeper_;
};

}  // namespace graspd::serve
