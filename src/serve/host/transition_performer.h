// Does what follows from decisions once they are durable: hands each change to the part that does
// it. What is done for several at once is collected first.
//
// Called by the writer (policy_owner.h): nothing here blocks.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "grasp/transition.h"
#include "serve/host/pull_intake.h"
#include "serve/host/repository_maintenance.h"
#include "serve/host/thread_archive.h"

namespace graspd::serve {

// The parts of the host that do it.
struct PerformerContext {
  Hosting& hosting;
  Workers& workers;
  Alignments& alignments;
  RepositoryMaintenance& maintenance;
  ThreadArchive& threads;
  PullIntake& pulls;
};

class TransitionPerformer {
 public:
  explicit TransitionPerformer(PerformerContext context) : context_(context) {}

  // Told when something arrived for lack of which peers' events were refused: these can be asked
  // for again where they were found. It only hands over. When this returns nobody is in an earlier
  // one.
  using WantedAgain =
      std::function<void(const nostr::RelayUrl& relay, const std::vector<nostr::EventId>& ids)>;
  void on_wanted_again(WantedAgain callback);

  // Its writes were taken out.
  void perform(grasp::Transition changes);

 private:
  struct Collected {
    std::set<grasp::Identifier> groups;
    std::vector<nostr::EventId> pulls;
    std::set<grasp::Identifier> pulls_in;
    std::set<nostr::PublicKey> pulls_by;
    std::map<nostr::RelayUrl, std::vector<nostr::EventId>> wanted;
    std::vector<grasp::Retry> retries;
  };
  class Visitor;
  void finish(Collected collected);
  void retry(std::vector<grasp::Retry> retries);

  PerformerContext context_;
  std::mutex wanted_mutex_;
  WantedAgain wanted_again_;
};

}  // namespace graspd::serve
