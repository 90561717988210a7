// How many refs of strangers' pull requests repositories have: never fewer than there are, and at
// most those besides that were added since somebody counted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/time.h"
#include "serve/runtime/number.h"

namespace graspd::serve {

class PullRefCounts {
 public:
  // Nothing: nobody has counted them yet.
  std::optional<std::size_t> add(const std::string& key, std::size_t more) {
    std::lock_guard lock(mutex_);
    const auto at = counts_.find(key);
    if (at == counts_.end()) return std::nullopt;
    return at->second += more;
  }
  void set(const std::string& key, std::size_t count) {
    std::lock_guard lock(mutex_);
    counts_[key] = count;
  }
  void forget(const std::string& key) {
    std::lock_guard lock(mutex_);
    counts_.erase(key);
  }

  // Refs went: what only they reached is garbage since then, and goes when it is old enough.
  void left_garbage(const std::string& key, core::Instant since) {
    std::lock_guard lock(mutex_);
    garbage_.emplace(key, since);
  }
  std::map<std::string, core::Instant> take_garbage(core::Instant before) {
    std::map<std::string, core::Instant> old;
    std::lock_guard lock(mutex_);
    std::erase_if(garbage_, [&](const auto& entry) {
      return entry.second <= before && old.insert(entry).second;
    });
    return old;
  }

  Number dropped;  // because there were too many, or too much

 private:
  std::mutex mutex_;
  std::map<std::string, core::Instant> garbage_;  // since when
  std::map<std::string, std::size_t> counts_;     // repositories that got pull requests in this run
};

}  // namespace graspd::serve
