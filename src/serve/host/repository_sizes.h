// What repositories take on disk, for /metrics: walked now and then, never when somebody asks.
//
//   R1  At most `top` repositories are named: the largest. The sum is over all.
//   R2  The walk stops between two repositories when this is destroyed.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/time.h"
#include "metrics/registry.h"

namespace graspd::serve {

struct RepositorySizesOptions {
  std::filesystem::path root;  // <root>/<npub>/<identifier>.git
  std::size_t top = 10;
  core::Duration interval = std::chrono::minutes(5);  // a walk reads one folder per repository
};

class RepositorySizes {
 public:
  explicit RepositorySizes(RepositorySizesOptions options);

  struct Sizes {
    std::vector<std::pair<std::string, std::uint64_t>> largest;  // <npub>/<identifier>.git
    std::uint64_t all = 0;
  };
  Sizes last() const;  // of the last walk

 private:
  void run(const std::stop_token& stop);

  const RepositorySizesOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  Sizes last_;
  std::jthread thread_;  // last: it uses the others
};

// One walk.
RepositorySizes::Sizes sizes_below(const std::filesystem::path& root, std::size_t top,
                                   const std::stop_token& stop = {});

void add_size_metrics(metrics::Registry& registry, const RepositorySizes& sizes);

}  // namespace graspd::serve
