// One ordered queue of due times for the whole engine.
//
//   R1  A key has at most one due time; setting it again replaces it. So wake-ups cannot multiply.
//   R2  Due keys come out by time, then by key.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/time.h"

namespace graspd::sync {

template <class Key>
class Alarms {
 public:
  void set(Key key, std::optional<core::Instant> at) {
    const auto old = by_key_.find(key);
    if (old != by_key_.end()) {
      if (at == old->second) return;
      queue_.erase({old->second, key});
      by_key_.erase(old);
    }
    if (!at) return;
    by_key_.emplace(key, *at);
    queue_.emplace(*at, key);
  }
  std::optional<core::Instant> next() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.begin()->first;
  }
  std::optional<Key> take_due(core::Instant now) {
    if (queue_.empty() || queue_.begin()->first > now) return std::nullopt;
    const Key key = queue_.begin()->second;
    queue_.erase(queue_.begin());
    by_key_.erase(key);
    return key;
  }

 private:
  std::map<Key, core::Instant> by_key_;
  std::set<std::pair<core::Instant, Key>> queue_;
};

}  // namespace graspd::sync
