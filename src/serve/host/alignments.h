// Runs alignments (ref_aligner.h): at once for whoever waits, in slices when there is time.
//
//   R1  Whoever waits has the repositories aligned that an event or a push is about; the others of
//       their name follow (alignment_queue.h).
//   R2  What could not be written is tried again later, less and less often.
//   R3  Watchers are told after every alignment: it may have changed which git data is missing.
#pragma once
#include <mutex>
#include <vector>

#include "serve/host/alignment_queue.h"
#include "serve/host/ref_aligner.h"
#include "serve/runtime/retry_times.h"

namespace graspd::serve {

// Told what may change which git data is missing. From several threads, one at a time; it only
// hands over.
class HostWatcher {
 public:
  virtual ~HostWatcher() = default;
  virtual void settled(const grasp::Identifier& identifier) = 0;
  virtual void push_failed(const grasp::Coordinate& repository) = 0;
};

class Alignments {
 public:
  Alignments(Hosting& hosting, std::size_t threads);

  // These block: for worker threads.
  //
  // A repository and those of its people. `lost_pulls`: served ones whose refs are to be set again.
  void align(const grasp::Coordinate& repository, RefAligner::Proven proven = {},
             const std::vector<nostr::EventId>& lost_pulls = {});
  void align(const grasp::Identifier& identifier, AlignmentScope scope,
             RefAligner::Proven proven = {});
  // What an event is about: its sender waits.
  void align_for(const nostr::Event& event);

  void post(const grasp::Identifier& identifier);  // all of them, when there is time
  void post_failed(core::Instant now);             // R2: those that are due
  // After an alignment.
  void follow_up(const grasp::Identifier& identifier, RefAligner::Result result);

  void watch(HostWatcher& watcher);
  void unwatch(HostWatcher& watcher);  // nobody is in it when this returns
  void push_failed(const grasp::Coordinate& repository);

  void stop() { queue_.stop(); }

 private:
  void align_slice(const grasp::Identifier& identifier, AlignmentScope slice);

  Hosting& hosting_;
  std::mutex failed_mutex_;
  RetryTimes<grasp::Identifier> failed_;
  std::mutex watcher_mutex_;
  std::vector<HostWatcher*> watchers_;
  AlignmentQueue queue_;
};

}  // namespace graspd::serve
