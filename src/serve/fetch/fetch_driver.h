// Runs the fetch scheduler: what is wanted (FetchPlan), what runs (FetchTasks), and the clock.
//
//   R1  After every alignment the driver looks up what the repositories of that identifier lack. It
//       tells the fetch scheduler what is missing and what no longer waits.
//   R2  Waiting events do not expire while their data is arriving, for a limited time: a slow
//       server must not keep them for ever.
//   R3  close() ends everything that runs and leaves nothing behind.
#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include "serve/fetch/fetch_plan.h"
#include "serve/fetch/fetch_tasks.h"
#include "serve/fetch/options.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

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
  const FetchPlan& plan() const { return plan_; }

 private:
  void settled(const grasp::Identifier& identifier) override;
  void push_failed(const grasp::Coordinate& coordinate) override;

  void look_soon(const grasp::Identifier& identifier);
  void look(const grasp::Identifier& identifier);
  // With the lock of the plan held.
  void perform(const git::fetch::ReadAdvertisement& action) { tasks_.start(action); }
  void perform(const git::fetch::Fetch& action) { tasks_.start(action); }
  void perform(const git::fetch::Stop& action) { tasks_.stop(action.attempt); }
  void perform(const git::fetch::Log& action);
  void perform(const git::fetch::WakeAt& action);

  void keep_time();
  void tick();
  void extend_what_is_on_its_way();

  const FetchDriverOptions options_;
  GraspHost& host_;
  FetchPlan plan_;
  FetchTasks tasks_;
  std::mutex mutex_;  // of the next three
  std::set<grasp::Identifier> to_look_;
  std::optional<core::Instant> wake_at_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::optional<Workers> looker_;
  std::thread clock_;
};

}  // namespace graspd::serve
