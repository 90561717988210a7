// Looks after what is hosted, slowly and for ever: compares every repository with its newest state
// and with its peers, has repaired what is wrong, and tells.
//
//   R1  Refs that are not as signed are set right by an alignment; objects that are lost are
//       fetched again by the fetch scheduler; then it is looked at again.
//       So are the refs of pull requests that are served, and their commits; but the repository is
//       no worse for one that is gone for good.
//   R2  What changes while it is looked at is no problem: it is looked at again. Nor is a
//       repository that has not been brought to its newest state yet; only one that was there is
//       said to be moved.
//   R3  One thread that stands back, one git process at a time.
//   R4  close() ends what runs.
//   R5  Another thread that stands back compares what every repository consists of with what it is
//       said to have (data_checks.h), at the start and several times a minute: without a walk, so
//       that a loss is found soon however long the walks take. Whoever opens a repository for git
//       has the same done when something changed there.
//   R6  A repository that lacks something is repaired at once, and is neither synced nor verified;
//       whoever would fetch from it is refused (git_gate.h). Whoever pushes is welcome.
//
// Thread-safety: what is const, from any thread.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "gitio/fetch_options.h"
#include "gitio/verify.h"
#include "grasp/verification.h"
#include "serve/fetch/data_checks.h"
#include "serve/host/data_inspector.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class FetchDriver;

struct VerifierOptions {
  grasp::VerificationOptions plan;
  gitio::VerifyOptions verify;
  gitio::RemoteRefsOptions read;  // of peers
  grasp::Service own;             // never a peer
  // R5: a loss is to be found within a minute, and the pass itself takes some seconds where there
  // are very many repositories.
  core::Duration check_interval = std::chrono::seconds(20);
};

class Verifier : public DataInspector, private GraspHost::Watcher {
 public:
  Verifier(VerifierOptions options, GraspHost& host, store::EventStore& store);
  ~Verifier() override;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  // After the host. Without a fetch driver, lost objects are only told of.
  void open(FetchDriver* fetches);
  void close();  // before the fetch driver and the host

  // R5, for every request of git.
  std::optional<std::string> known_loss(const grasp::Coordinate& coordinate) const override;
  std::string look_for_loss(const grasp::Coordinate& coordinate) override;
  bool repairs() const override { return fetches_ != nullptr; }

  // Looks that somebody asks for, as in grasp::Verifications.
  std::optional<std::uint64_t> ask(const std::optional<grasp::Coordinate>& coordinate);
  grasp::VerificationAnswers answers(std::uint64_t number, std::uint64_t cursor,
                                     const std::optional<grasp::Coordinate>& coordinate,
                                     std::size_t max) const;

  std::optional<grasp::GitHealth> health(const grasp::Coordinate& coordinate) const override;
  grasp::VerificationTotals totals() const;
  std::vector<grasp::VerificationTrouble> troubles(std::size_t max) const;
  grasp::VerificationMeter meter() const;

 private:
  using Declared = DeclaredData;
  struct Seen {
    gitio::Verification verification;
    std::string unreadable;  // why nothing could be looked up
    std::optional<git::Fingerprint> made_from = {};

    bool ok() const { return unreadable.empty() && verification.ok(); }
    bool has_lost_objects() const;
    std::string words() const;
  };

  void settled(const grasp::Identifier& identifier) override;
  void push_failed(const grasp::Coordinate&) override {}

  void recall();
  void work();
  void watch();
  void take_news();
  void check_all();
  void list(const grasp::Coordinate& coordinate);
  DataChecks::Found check(const grasp::Coordinate& coordinate);
  DataChecks::Found mend(const grasp::Coordinate& coordinate);
  grasp::CheckNews take(const grasp::Coordinate& coordinate, const DataFound& found);
  void order(const grasp::Coordinate& coordinate, const DataFound& found);
  void tell_lost(const grasp::Coordinate& coordinate, const DataFound& found);
  void perform(const grasp::VerificationTask& task);
  void look(const grasp::Coordinate& coordinate);
  void compare(const grasp::VerificationTask& task);
  std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> visit(
      const git::FetchUrl& peer) const;
  std::optional<Declared> declared(const grasp::Coordinate& coordinate);
  std::optional<Seen> see(const grasp::Coordinate& coordinate, const Declared& declared) const;
  using Pulls = std::vector<grasp::PullRequest>;
  Pulls wanted(const grasp::Coordinate& coordinate, Pulls pulls) const;
  Pulls carried(const grasp::Coordinate& coordinate) const;
  Pulls astray(const grasp::Coordinate& coordinate, Pulls pulls) const;
  Pulls damaged(const grasp::Coordinate& coordinate, const Seen& seen, Pulls pulls) const;
  void repair(const grasp::Coordinate& coordinate, const Seen& seen, Pulls pulls);
  void tell(const grasp::Coordinate& coordinate, const Seen& seen) const;
  void drop_doubles(const grasp::Coordinate& coordinate);
  void conclude(const Declared& declared, const Seen& seen, bool set_right);
  void forget(const grasp::Coordinate& coordinate);
  void write_notes();

  const VerifierOptions options_;
  GraspHost& host_;
  store::EventStore& store_;
  FetchDriver* fetches_ = nullptr;
  DataChecks checks_;
  core::Instant check_at_;
  std::atomic<std::size_t> losses_named_ = 0;  // in the log, since the last pass began
  std::stop_source stop_;

  mutable std::mutex mutex_;  // of everything below
  std::condition_variable wake_;
  std::set<grasp::Coordinate> ordered_;  // repairs the fetch scheduler knows of
  grasp::Verifications plan_;
  // Identifier groups that were aligned; true: by others, which may have made something whole.
  std::map<grasp::Identifier, bool> news_;
  std::set<std::thread::id> own_threads_;
  std::optional<Workers> worker_, watcher_;
};

}  // namespace graspd::serve
