// What was measured of repositories lately: how much of them their own people need.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/time.h"

namespace graspd::serve {

class OwnBytes {
 public:
  // Measuring walks the history. A push asks several times, and so do those who come with it.
  static constexpr core::Duration kKept = std::chrono::seconds(10);

  // `total`: what lies on disk now; other packs were not measured.
  std::optional<std::uint64_t> find(const std::string& key, std::uint64_t total,
                                    core::Instant now) const {
    std::lock_guard lock(mutex_);
    const auto at = known_.find(key);
    if (at == known_.end() || at->second.total != total || at->second.at + kKept < now)
      return std::nullopt;
    return at->second.own;
  }
  void set(const std::string& key, std::uint64_t total, std::uint64_t own, core::Instant now) {
    std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const auto& entry) { return entry.second.at + kKept < now; });
    known_[key] = {total, own, now};
  }
  void forget(const std::string& key) {
    std::lock_guard lock(mutex_);
    known_.erase(key);
  }

 private:
  struct Measured {
    std::uint64_t total = 0, own = 0;
    core::Instant at;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Measured> known_;
};

}  // namespace graspd::serve
