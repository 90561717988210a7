// The plan of what is verified next (grasp::Verifications), shared by threads.
//
//   R1  take_task() waits until something is due. Whoever has changed the plan calls publish(),
//       once for all changes of a round: a wake-up for each of many repositories would be wasted.
//   R2  Results are written as notes, with the next batch of events.
//
// Thread-safety: from any thread.
#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "grasp/verification.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

class VerificationPlan {
 public:
  VerificationPlan(const grasp::VerificationOptions& options, Hosting& hosting);

  // What an earlier run wrote; before anything else.
  void restore();
  // R1. Nothing: we are to stop.
  std::optional<grasp::VerificationTask> take_task(const std::stop_token& stop);
  // One of these ends what was begun.
  void looked(const grasp::Looked& look);
  void compared(const std::string& peer, const std::string& difference);
  void not_compared(bool was_asked);

  // As its announcement and states are now.
  void list(const grasp::Coordinate& coordinate);
  void stirred(const grasp::Coordinate& coordinate);
  void forget(const grasp::Coordinate& coordinate);
  void keep_only(const std::set<grasp::Coordinate>& coordinates);
  grasp::CheckNews checked(const grasp::Coordinate& coordinate, const grasp::Checked& check);
  bool is_lacking(const grasp::Coordinate& coordinate) const;
  bool needs_check(const grasp::Coordinate& coordinate) const;
  std::vector<grasp::Coordinate> repos(const grasp::Identifier& identifier) const;
  void publish();  // R1, R2

  // Looks that somebody asks for, as in grasp::Verifications.
  std::optional<std::uint64_t> ask(const std::optional<grasp::Coordinate>& coordinate);
  grasp::VerificationAnswers answers(std::uint64_t number, std::uint64_t cursor,
                                     const std::optional<grasp::Coordinate>& coordinate,
                                     std::size_t max) const;

  std::optional<grasp::GitHealth> health(const grasp::Coordinate& coordinate) const;
  grasp::VerificationTotals totals() const;
  std::vector<grasp::VerificationTrouble> troubles(std::size_t max) const;
  grasp::VerificationMeter meter() const;

 private:
  void wake();

  const bool looks_;
  Hosting& hosting_;
  mutable std::mutex mutex_;  // of the next two
  grasp::Verifications plan_;
  bool is_woken_ = false;
  std::condition_variable_any wake_;
};

}  // namespace graspd::serve
