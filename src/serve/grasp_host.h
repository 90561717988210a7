// The GRASP side of the relay: decides about events, settles what git data allows, keeps house.
//
//   R1  Decisions come from the policy at once; what needs a look at repositories is deferred to
//       workers and answered from there.
//   R2  What follows from a decision beyond the event happens after the decision is durable.
//   R3  Nothing waits for a timer that an event could trigger; timers only end patience.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "relay/acceptance.h"
#include "serve/hosting.h"
#include "serve/metronome.h"
#include "serve/push_desk.h"
#include "serve/workers.h"

namespace graspd::serve {

struct GraspHostOptions {
  HostingOptions hosting;
  grasp::PolicyOptions policy;
  // They look into repositories and move refs: mostly waiting, for the disk or for one another. A
  // long copy in one family must not keep the others waiting.
  std::size_t git_threads = 16;
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
                        relay::Effects& effects) override;
  void settled(std::span<const relay::Settled> events) override;
  void proceed(const nostr::WireEventPtr& event, const relay::Source& source,
               relay::Answer answer) override;

  Hosting& hosting() { return hosting_; }
  PushDesk& pushes() { return pushes_; }
  Workers& workers() { return workers_; }
  // Brings the repositories of an identifier in line. Blocks: for worker threads.
  void settle(const grasp::Identifier& identifier);
  // A view was written to: it is looked after when there is time.
  void touched(const grasp::Coordinate& view);

 private:
  void sweep();
  void maintain();
  void settle_soon(const grasp::Identifier& identifier);
  void follow_up(const grasp::Identifier& identifier, FamilySettlement::Result result);
  void perform(grasp::Changes changes);  // notes and removals excepted
  void write_and_perform(grasp::Changes changes);
  void retry(std::vector<nostr::WireEventPtr> events);
  void drop_pull_refs(const std::vector<nostr::EventId>& ids,
                      const std::set<grasp::Identifier>& identifiers);
  void remove_unless_open(const grasp::Coordinate& view);

  const GraspHostOptions options_;
  Hosting hosting_;
  PushDesk pushes_;
  Workers workers_;
  Workers caretaker_;
  grasp::Changes pending_;  // of the batch being decided
  std::mutex touched_mutex_;
  std::set<grasp::Coordinate> touched_;
  std::set<grasp::Identifier> failed_;  // settlements to be tried again
  std::unique_ptr<Metronome> sweeper_, maintainer_;
};

}  // namespace graspd::serve
