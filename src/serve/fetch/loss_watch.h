// Finds losses without walking: compares what every repository consists of with what it is said to
// have (data_checks.h).
//
//   R1  A thread of low priority checks all repositories at the start and several times a minute,
//       so that a loss is found soon however long the walks take. Whoever opens a repository for
//       git has the same done when something changed there.
//   R2  A repository that lacks something is aligned first: its refs may be set again from objects
//       that are here, or its history copied from another repository. What it still lacks is
//       ordered at once.
//   R3  After an alignment by others, which may have made something whole, its repositories are
//       verified again. Our own alignments do not count: that would go on for ever.
//
// Thread-safety: what is public, from any thread, except open and close.
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

#include "serve/fetch/data_checks.h"
#include "serve/fetch/repairs.h"
#include "serve/fetch/verification_plan.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class LossWatch : private GraspHost::Watcher {
 public:
  // `is_final`: no walk follows that would end a repair.
  LossWatch(core::Duration interval, bool is_final, GraspHost& host, VerificationPlan& plan,
            Repairs& repairs);

  void open(const std::stop_token& stop);
  void close();  // after `stop` was requested
  // The alignments of the calling thread are our own (R3).
  void add_own_thread();

  // Nothing: something changed since the last check.
  std::optional<std::string> known_loss(const grasp::Coordinate& coordinate) const;
  std::string look_for_loss(const grasp::Coordinate& coordinate);  // R2. Blocks
  void check(const grasp::Coordinate& coordinate);                 // Blocks

 private:
  void settled(const grasp::Identifier& identifier) override;
  void push_failed(const grasp::Coordinate&) override {}

  void watch(const std::stop_token& stop);
  void take_news();
  void check_all(const std::stop_token& stop);
  DataChecks::Found mend(const grasp::Coordinate& coordinate);
  grasp::CheckNews take(const grasp::Coordinate& coordinate, const DataFound& found);
  void tell_lost(const grasp::Coordinate& coordinate, const DataFound& found);

  const core::Duration interval_;
  const bool is_final_;
  GraspHost& host_;
  VerificationPlan& plan_;
  Repairs& repairs_;
  DataChecks checks_;
  core::Instant check_at_;                     // of the watching thread
  std::atomic<std::size_t> losses_named_ = 0;  // in the log, since the last pass began

  std::mutex mutex_;  // of the next two
  // Identifier groups that were aligned; true: by others.
  std::map<grasp::Identifier, bool> news_;
  std::set<std::thread::id> own_threads_;
  std::condition_variable_any wake_;
  std::optional<Workers> watcher_;
};

}  // namespace graspd::serve
