// Tells the operator when free disk space is too low for writes (serve/runtime/free_disk.h decides
// that).
//
//   R1  The log says once when rejecting begins and once when it ends, with the numbers and the
//       remedy. For the log it ends when a twentieth more than the minimum is free, so that a disk
//       at the limit does not fill the log.
//   R2  Pages and metrics name no path, because they are public.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/registry.h"
#include "serve/runtime/free_disk.h"

namespace graspd::serve {

class DiskWatch {
 public:
  explicit DiskWatch(std::shared_ptr<const FreeDisk> disk);  // looks once

  void look();  // now and then, from one thread

  // Why nothing is written: "low on disk space, …". nullopt: it is written. From any thread.
  std::optional<std::string> trouble() const;

 private:
  const std::shared_ptr<const FreeDisk> disk_;
  bool told_ = false;
};

// The decisions of look(), without a disk: what to log, if anything.
std::optional<std::string> disk_log_line(const std::optional<FolderSpace>& least, std::uint64_t min,
                                         bool& told);

// `names` are labels for the folders that `disk` looks at, in its order.
void add_disk_metrics(metrics::Registry& registry, std::shared_ptr<const FreeDisk> disk,
                      const std::vector<std::pair<std::filesystem::path, std::string>>& names);

}  // namespace graspd::serve
