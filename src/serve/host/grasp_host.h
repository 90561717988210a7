// The GRASP side of the relay: decides about events, aligns what git data allows, keeps house.
//
//   R1  Decisions come from the policy at once; what needs a look at repositories is deferred to
//       workers and answered from there.
//   R2  What follows from a decision beyond the event happens after the decision is durable.
//   R3  Nothing waits for a timer that an event could trigger; timers only end patience.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gitio/process.h"
#include "relay/acceptance.h"
#include "serve/host/address_rates.h"
#include "serve/host/alignment_queue.h"
#include "serve/host/hosting.h"
#include "serve/host/pr_push.h"
#include "serve/host/pull_batches.h"
#include "serve/host/repository_push.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/runtime/retry_times.h"
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
  void failed() override;
  void refused(const nostr::WireEventPtr& event, const relay::Source& source,
               const relay::Refusal& refusal, store::Changes& changes) override;
  void proceed(const nostr::WireEventPtr& event, const relay::Source& source,
               relay::Answer answer) override;
  bool knows(const nostr::EventId& id) const override;
  std::vector<store::Position> known(const nostr::Filter& filter) const override;

  // Told when something arrived for lack of which peers' events were refused: these can be asked
  // for again where they were found. From several threads, one at a time; it only hands over. When
  // this returns nobody is in an earlier one.
  using WantedAgain =
      std::function<void(const nostr::RelayUrl& relay, const std::vector<nostr::EventId>& ids)>;
  void on_wanted_again(WantedAgain callback);

  // Told what may change which git data is missing. From several threads, one at a time; it only
  // hands over.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void settled(const grasp::Identifier& identifier) = 0;
    virtual void push_failed(const grasp::Coordinate& view) = 0;
  };
  void watch(Watcher& watcher);
  void unwatch(Watcher& watcher);  // nobody is in it when this returns
  void push_failed(const grasp::Coordinate& view);

  Hosting& hosting() { return hosting_; }
  RepositoryPush& pushes() { return pushes_; }
  PrPush& pr_pushes() { return pr_pushes_; }
  Workers& workers() { return workers_; }
  // An allowed push gives what it is for the full time, and keeps it until the guard goes.
  PushesUnderWay::Guard begin_push(grasp::BeingPushed push);
  // Brings a repository and those of its people in line; others of its name follow soon.
  // `lost_pulls`: served ones whose refs are to be set again. Blocks: for worker threads.
  void align(const grasp::Coordinate& view, RefAligner::Proven proven = {},
             const std::vector<nostr::EventId>& lost_pulls = {});
  // A view was written to: it is looked after when there is time.
  void touched(const grasp::Coordinate& view) { touched(hosting_.key(view)); }
  void touched(const std::string& key);

 private:
  void hand_over(grasp::Transition& decided, store::Changes& changes);
  relay::Verdict pass_on_for_stranger(const relay::Source& source);
  void relist();
  void sweep();
  void maintain();
  void maintain(const std::string& key, std::optional<core::Instant> garbage_since);
  void align_for(const nostr::Event& event);
  void align_pulls(const nostr::WireEventPtr& event, relay::Answer answer);
  void answer_now(const nostr::EventId& id, const relay::Answer& answer) const;
  // A status of a pull request, by somebody who may have a say in it.
  void follow_status(const nostr::WireEventPtr& event);
  void follow_status_in(const grasp::Coordinate& view, const std::vector<nostr::EventId>& ids);
  void align(const grasp::Identifier& identifier, AlignmentScope scope,
             RefAligner::Proven proven = {});
  void follow_up(const grasp::Identifier& identifier, RefAligner::Result result);
  // What is left of it when its writes are taken out (serve/host/grasp_host_perform.cpp).
  void perform(grasp::Transition changes);
  class Performance;
  void write_and_perform(grasp::Transition changes);
  void retry(std::vector<grasp::Retry> retries);
  using WantedIds = std::map<nostr::RelayUrl, std::vector<nostr::EventId>>;
  void tell_wanted(const WantedIds& wanted);
  void drop_pull_refs(const std::vector<nostr::EventId>& ids,
                      const std::set<grasp::Identifier>& identifiers);
  void tidy_pr_repositories();
  void remove_unless_open(const grasp::Coordinate& view);
  void remove_untouched();
  // What hung on it alone goes too, unless it was announced again.
  enum class Threads { Kept, Forgotten };
  void end_threads(const grasp::Departed& gone, Threads threads);
  // What was kept of it is served again, or goes for good.
  void recall_threads(const grasp::Coordinate& back);
  void recall_states(const nostr::Event& announcement);
  bool serve_again(const grasp::Coordinate& back, std::vector<nostr::WireEventPtr> events);
  void lose_threads(const grasp::Coordinate& lost);
  void threads_settled(const grasp::Coordinate& coordinate);
  bool is_announced(const grasp::Coordinate& coordinate) const;

  const GraspHostOptions options_;
  const store::EventStore& store_;
  mutable Hosting hosting_;  // behind its own lock
  RepositoryPush pushes_;
  PrPush pr_pushes_;
  Workers workers_;
  PullBatches pulls_;
  AlignmentQueue alignments_;
  AddressRates stranger_ephemerals_;       // of the thread that decides
  Workers maintenance_;                    // of repositories; it may take its time
  std::vector<std::string> decided_keys_;  // of notes, in the batch being decided
  Workers thread_archive_;     // of threads: what happens to one repository's happens in order
  grasp::Transition pending_;  // of the batch being decided
  std::mutex wanted_mutex_;
  WantedAgain wanted_again_;
  std::mutex watcher_mutex_;
  std::vector<Watcher*> watchers_;
  std::mutex touched_mutex_;
  std::set<std::string> touched_;
  RetryTimes<grasp::Identifier> failed_;  // alignments to be tried again
  std::unique_ptr<PeriodicTimer> sweeper_, maintainer_;
};

}  // namespace graspd::serve
