// Runs the fetch scheduler on threads: performs its actions and reports the results to it.
//
//   R1  After every alignment the driver looks up what the repositories of that identifier lack. It
//       tells the fetch scheduler what is missing and what no longer waits.
//   R2  Fetched data is treated like pushed data: quarantine, the repository's lock, alignment. A
//       remote moves no ref. Nothing is fetched into a repository that may not be written to.
//   R3  Waiting events do not expire while their data is arriving, for a limited time: a slow
//       server must not keep them for ever.
//   R4  close() ends everything that runs and leaves nothing behind.
#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "git/fetch_scheduler.h"
#include "gitio/fetch_options.h"
#include "gitio/remote_refs.h"
#include "serve/fetch/fetch_repair.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"
#include "sync/fetch_report.h"

namespace graspd::serve {

struct FetchDriverOptions {
  git::fetch::Options scheduler;
  gitio::FetchOptions fetch;
  gitio::RemoteRefsOptions read;
  grasp::Service own;  // never a source
  // What expired or was replaced is noticed so soon.
  core::Duration tick = std::chrono::seconds(10);
  std::size_t extensions_max = 12;  // R3
};

class FetchDriver : private GraspHost::Watcher {
 public:
  FetchDriver(FetchDriverOptions options, GraspHost& host);
  ~FetchDriver() override;
  FetchDriver(const FetchDriver&) = delete;
  FetchDriver& operator=(const FetchDriver&) = delete;

  void open();   // before the host is
  void close();  // before the host is

  // From any thread: this repository, which is served, is damaged. Nothing damaged: it is whole
  // again.
  void repair(const grasp::Coordinate& coordinate, const Damage& damage);
  // From any thread, blocks: what a remote says it has, as politely as when the fetch scheduler
  // asks. Nothing: it is not to be asked now.
  std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> visit(
      const git::FetchUrl& url, const std::stop_token& stop);
  // For pages: of so many repositories, and of one.
  sync::Fetches fetches(std::size_t max) const;
  std::vector<sync::FetchStatus> fetches_of(const grasp::Coordinate& coordinate) const;
  git::fetch::Meter meter() const;
  struct Load {
    std::size_t running = 0, repositories = 0;
  };
  Load load() const;
  bool is_running(const grasp::Coordinate& coordinate) const;

 private:
  struct Told {
    grasp::Coordinate coordinate;
    git::fetch::Reason reason;
    bool ordered = false;                // by repair()
    std::optional<nostr::EventId> pull;  // ordered for the ref of this one
    std::size_t extensions = 0;
  };
  struct Arriving {  // a waiting event whose data is being fetched
    grasp::Coordinate coordinate;
    nostr::EventId id;
  };

  void settled(const grasp::Identifier& identifier) override;
  void push_failed(const grasp::Coordinate& coordinate) override;

  void look(const grasp::Identifier& identifier);
  void look_soon(const grasp::Identifier& identifier);  // with mutex_ held
  void want(const git::fetch::Wanted& wanted, Told told);
  void forget(const git::fetch::EventKey& event);
  void step(const git::fetch::Input& input);  // with mutex_ held
  void tell(const git::fetch::Input& input);
  void perform(const git::fetch::ReadAdvertisement& action);
  void perform(const git::fetch::Fetch& action);
  void perform(const git::fetch::Stop& action);
  void perform(const git::fetch::Log& action);
  void perform(const git::fetch::WakeAt& action);
  std::stop_token begin(git::fetch::Attempt attempt);

  git::fetch::AdvertisementRead read(const git::fetch::ReadAdvertisement& action,
                                     const std::stop_token& stop) const;
  git::fetch::Fetched fetch(const git::fetch::Fetch& action, const std::stop_token& stop);
  std::optional<std::uint64_t> pulls_space(const grasp::Coordinate& coordinate);
  bool is_torn(const git::fetch::RepoKey& repo) const;
  std::optional<std::string> take_in(const grasp::Coordinate& coordinate, gitio::Staging staging,
                                     const std::vector<git::Oid>& came);
  std::vector<git::Oid> arrived(const git::fetch::RepoKey& repo,
                                const grasp::Coordinate& coordinate,
                                std::vector<git::Oid> came) const;
  std::vector<nostr::EventId> lost_pulls(const grasp::Coordinate& coordinate) const;
  std::optional<grasp::Coordinate> repo_of(const git::fetch::RepoKey& repo) const;

  void keep_time();
  void tick();
  void forget_what_no_longer_waits();
  void extend_what_is_on_its_way();
  std::vector<Arriving> on_their_way() const;
  static bool ends_by(const grasp::PolicySnapshot& policy, const Arriving& one,
                      core::UnixSeconds soon);
  static void extend(grasp::Purgatory& purgatory, const Arriving& one, core::UnixSeconds soon,
                     core::UnixSeconds now, grasp::Transition& changes);

  const FetchDriverOptions options_;
  GraspHost& host_;
  mutable std::mutex mutex_;  // of everything below
  git::FetchScheduler scheduler_;
  std::map<git::fetch::EventKey, Told> told_;
  std::map<git::fetch::RepoKey, grasp::Coordinate> coordinates_;
  std::map<git::fetch::Attempt, std::stop_source> stops_;
  std::set<grasp::Identifier> to_look_;
  std::set<grasp::Identifier> put_off_;  // for lack of space in the fetch scheduler
  std::uint64_t ended_ = 0;              // fetches, by the time these were last offered
  std::optional<core::Instant> wake_at_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::unique_ptr<Workers> tasks_, looker_;
  std::thread clock_;
};

}  // namespace graspd::serve
