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
//   R5  Losses are found by quick checks besides, of another thread (loss_watch.h).
//   R6  A repository that lacks something is repaired at once, and is neither synced nor verified;
//       whoever would fetch from it is refused (git_gate.h). Whoever pushes is welcome.
//
// Thread-safety: what is const, from any thread.
#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "serve/fetch/loss_watch.h"
#include "serve/fetch/options.h"
#include "serve/fetch/repairs.h"
#include "serve/fetch/served_pulls.h"
#include "serve/fetch/verification_plan.h"
#include "serve/host/data_inspector.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class FetchDriver;

class Verifier : public DataInspector {
 public:
  Verifier(VerifierOptions options, GraspHost& host);
  ~Verifier() override;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  // After the host. Without a fetch driver, lost objects are only told of.
  void open(FetchDriver* fetches);
  void close();  // before the fetch driver and the host

  // R5, for every request of git.
  std::optional<std::string> known_loss(const grasp::Coordinate& coordinate) const override;
  std::string look_for_loss(const grasp::Coordinate& coordinate) override;
  bool repairs() const override { return repairs_.are_possible(); }
  std::optional<grasp::GitHealth> health(const grasp::Coordinate& coordinate) const override;

  // Looks that somebody asks for, and what was found.
  VerificationPlan& plan() { return plan_; }
  const VerificationPlan& plan() const { return plan_; }

 private:
  struct Seen {
    gitio::Verification verification;
    std::string unreadable;  // why nothing could be looked up
    std::optional<git::Fingerprint> made_from = {};

    bool ok() const { return unreadable.empty() && verification.ok(); }
    bool has_lost_objects() const;
    std::string words() const;
  };
  using Pulls = ServedPulls::Pulls;

  void work();
  void perform(const grasp::VerificationTask& task);
  void look(const grasp::Coordinate& coordinate);
  void compare(const grasp::VerificationTask& task);
  std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> visit(
      const git::FetchUrl& peer) const;
  std::optional<DeclaredData> declared(const grasp::Coordinate& coordinate) const;
  std::optional<Seen> see(const grasp::Coordinate& coordinate, const DeclaredData& declared) const;
  void repair(const grasp::Coordinate& coordinate, const Seen& seen, Pulls pulls);
  void tell(const grasp::Coordinate& coordinate, const Seen& seen) const;
  void conclude(const DeclaredData& declared, const Seen& seen, bool set_right);
  void forget(const grasp::Coordinate& coordinate);

  const VerifierOptions options_;
  GraspHost& host_;
  FetchDriver* fetches_ = nullptr;
  const ServedPulls pulls_;
  VerificationPlan plan_;
  Repairs repairs_;
  LossWatch losses_;
  std::stop_source stop_;
  std::optional<Workers> worker_;
};

}  // namespace graspd::serve
