// Since when filters of a class did not bring all that was published.
//
//   R1  Of several times the earliest counts.
#pragma once
#include <algorithm>
#include <map>
#include <optional>

#include "sync/slices.h"

namespace graspd::sync {

class DarkClasses {
 public:
  void add(FilterClass filter_class, core::UnixSeconds since) {
    const auto at = since_.emplace(filter_class, since).first;
    at->second = std::min(at->second, since);
  }
  void add(const Group& slices, core::UnixSeconds since) {
    for (const Slice& slice : slices) add(slice.filter_class, since);
  }
  void add(const DarkClasses& other) {
    for (const auto& [filter_class, since] : other.since_) add(filter_class, since);
  }
  // Of any of its classes.
  std::optional<core::UnixSeconds> since(const Group& slices) const {
    std::optional<core::UnixSeconds> out;
    for (const Slice& slice : slices) {
      const auto at = since_.find(slice.filter_class);
      if (at != since_.end()) out = std::min(out.value_or(at->second), at->second);
    }
    return out;
  }

 private:
  std::map<FilterClass, core::UnixSeconds> since_;
};

}  // namespace graspd::sync
