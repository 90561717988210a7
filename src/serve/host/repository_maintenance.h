// What becomes of the folders of repositories when nobody waits for it: repacking, removal, and
// leftovers. One thread at low priority; it may take its time.
//
//   R1  A repository that was written to is repacked with the next round. What refs of pull
//       requests left behind is pruned after a grace period.
//   R2  A repository is removed only if it is not open when its turn comes: it may have been
//       announced again.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "serve/host/hosting.h"
#include "serve/runtime/periodic_timer.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class RepositoryMaintenance {
 public:
  explicit RepositoryMaintenance(Hosting& hosting);

  // Sweeps what an earlier run left, then works in rounds.
  void open(core::Duration interval, bool with_pr_repositories);
  void stop();

  // Thread-safety: from any thread.
  //
  // `key` (Hosting::key): it was written to.
  void touched(const std::string& key);
  void remove(const grasp::Coordinate& repository, std::function<void()> then);  // R2
  void discard_upload(const std::string& token);

 private:
  void begin_round();
  void maintain(const std::string& key, std::optional<core::Instant> garbage_since);
  void remove_unless_open(const grasp::Coordinate& repository);
  void remove_untouched();
  void tidy_pr_repositories();

  Hosting& hosting_;
  std::mutex mutex_;
  std::set<std::string> touched_;
  Workers worker_;
  std::unique_ptr<PeriodicTimer> rounds_;
};

}  // namespace graspd::serve
