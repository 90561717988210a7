// Looks after what is hosted, slowly and for ever: compares every repository with its newest state
// and with its peers, has repaired what is wrong, and tells.
//
//   R1  Refs that are not as signed are set right by a settlement; objects that are lost are
//       fetched again, by the hunt; then it is looked at again.
//       So are the refs of pull requests that are served, and their commits; but the repository is
//       no worse for one that is gone for good.
//   R2  What changes while it is looked at is no problem: it is looked at again. Nor is a view that
//       has not been brought to its newest state yet; only one that was there is said to be moved.
//   R3  One thread that stands back, one git process at a time.
//   R4  close() ends what runs.
//
// Thread-safety: what is const, from any thread.
#pragma once
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
#include "serve/grasp_host.h"
#include "serve/workers.h"

namespace graspd::serve {

class HuntDriver;

struct VerifierOptions {
  grasp::VerificationOptions plan;
  gitio::VerifyOptions verify;
  gitio::RemoteRefsOptions read;  // of peers
  grasp::Service own;             // never a peer
  // What nobody told of is noticed so soon.
  core::Duration list_interval = std::chrono::hours(1);
};

class Verifier : private GraspHost::Watcher {
 public:
  Verifier(VerifierOptions options, GraspHost& host, store::EventStore& store);
  ~Verifier() override;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  // After the host. Without a hunt, lost objects are only told of.
  void open(HuntDriver* hunt);
  void close();  // before the hunt and the host

  std::optional<grasp::GitHealth> health(const grasp::Coordinate& view) const;
  grasp::VerificationCensus census() const;
  std::vector<grasp::VerificationTrouble> troubles(std::size_t max) const;
  grasp::VerificationMeter meter() const;

 private:
  struct Declared {  // of a repository, at some moment
    grasp::Ruling ruling;
    std::optional<grasp::RepoState> state;  // that is served; none: there is nothing to look at
    bool is_as_in(const Declared& other) const;
  };
  struct Seen {
    gitio::Verification verification;
    std::string unreadable;  // why nothing could be looked up

    bool ok() const { return unreadable.empty() && verification.ok(); }
    bool has_lost_objects() const;
    std::string words() const;
  };

  void settled(const grasp::Identifier& identifier) override;
  void push_failed(const grasp::Coordinate&) override {}

  void recall();
  void work();
  void wait(std::unique_lock<std::mutex>& lock);
  void take_news();
  void list_all();
  void list(const grasp::Coordinate& view);
  void perform(const grasp::VerificationTask& task);
  void look(const grasp::Coordinate& view);
  void compare(const grasp::VerificationTask& task);
  std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> visit(
      const git::FetchUrl& peer) const;
  std::optional<Declared> declared(const grasp::Coordinate& view);
  std::optional<Seen> see(const grasp::Coordinate& view, const Declared& declared) const;
  using Pulls = std::vector<grasp::PullRequest>;
  Pulls carried(const grasp::Coordinate& view) const;
  Pulls astray(const grasp::Coordinate& view, Pulls pulls) const;
  Pulls damaged(const grasp::Coordinate& view, const Seen& seen, Pulls pulls) const;
  void repair(const grasp::Coordinate& view, const Seen& seen, Pulls pulls);
  void tell(const grasp::Coordinate& view, const Seen& seen) const;
  void drop_doubles(const grasp::Coordinate& view);
  void conclude(const Declared& declared, const Seen& seen, bool set_right);
  void forget(const grasp::Coordinate& view);
  void write_notes();

  const VerifierOptions options_;
  GraspHost& host_;
  store::EventStore& store_;
  HuntDriver* hunt_ = nullptr;
  std::set<grasp::Coordinate> ordered_;  // repairs the hunt knows of
  core::Instant list_at_;
  std::stop_source stop_;

  mutable std::mutex mutex_;  // of everything below
  std::condition_variable wake_;
  grasp::Verifications plan_;
  // Families that were settled; true: by others, which may have made something whole.
  std::map<grasp::Identifier, bool> news_;
  std::thread::id worker_id_;
  std::optional<Workers> worker_;
};

}  // namespace graspd::serve
