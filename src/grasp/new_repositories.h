// Limits how many unknown repositories one relay may bring per day.
//
//   R1  Each announcement takes one token. A relay starts with the tokens of a day, and they are
//       refilled evenly over a day. A limit of 0 means no limit.
//   R2  A relay with all of its tokens is forgotten, so only relays that brought something within a
//       day are remembered, at most kSourcesMax.
//   R3  A restart forgets everything.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/persistent_map.h"
#include "core/time.h"

namespace graspd::grasp {

class NewRepositories {
 public:
  static constexpr std::size_t kSourcesMax = 10'000;

  explicit NewRepositories(std::uint64_t per_day) : per_day_(std::min(per_day, kPerDayMax)) {}

  bool may_bring(const std::string& source, core::UnixSeconds now) const {
    const Used* used = used_.find(source);
    return per_day_ == 0 || !used || left_of(*used, now) >= kToken;
  }
  void brought(const std::string& source, core::UnixSeconds now) {
    if (per_day_ == 0) return;
    if (used_.size() >= kSourcesMax) forget_idle(now);
    Used& used = used_.find_or_make(source, [&] { return Used{0, now}; });
    used = {all() - left_of(used, now) + kToken, now};
  }
  std::size_t sources() const { return used_.size(); }

 private:
  // In parts, a day's seconds to the token: each second brings back `per_day_` parts.
  static constexpr std::uint64_t kToken = 24 * 3600;
  static constexpr std::uint64_t kPerDayMax = 1ULL << 32;
  struct Used {
    std::uint64_t parts = 0;
    core::UnixSeconds at = 0;
  };

  std::uint64_t all() const { return per_day_ * kToken; }
  std::uint64_t left_of(const Used& used, core::UnixSeconds now) const {
    const auto passed =
        static_cast<std::uint64_t>(std::clamp<core::UnixSeconds>(now - used.at, 0, kToken));
    return all() - std::min(all(), used.parts - std::min(used.parts, passed * per_day_));
  }
  void forget_idle(core::UnixSeconds now) {  // R2
    const auto all_of_them = used_;
    for (const auto& [source, used] : all_of_them)
      if (left_of(used, now) == all()) used_.erase(source);
    if (used_.size() >= kSourcesMax) used_.erase(std::string(used_.begin()->first));
  }

  std::uint64_t per_day_;
  core::PersistentMap<std::string, Used> used_;
};

}  // namespace graspd::grasp
