// How many more events one filter may return.
//
//   R1  A limit that the client sets is exact.
//   R2  A limit of the relay's own is extended to the end of the second it falls into, by at most
//       `stretch` events: a client that requests the next page with `until` misses nothing.
//   R3  Events of the second `until` itself count against the stretch: a client that continues from
//       the last second of a page makes progress, however many events that second holds.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "core/time.h"

namespace graspd::store {

class Quota {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  explicit Quota(std::uint64_t limit) : left_(limit) {}  // R1
  // R2, R3
  Quota(std::uint64_t cap, std::uint64_t stretch, std::optional<core::UnixSeconds> until)
      : left_(cap), stretch_(stretch), until_(until) {}

  bool is_open() const { return left_ > 0 || stretch_ > 0; }
  bool is_stretched() const { return left_ == 0 && stretch_ > 0; }
  std::uint64_t left() const { return left_; }

  // An answer comes to events of this second. True if that is what closes the quota.
  bool come_to(core::UnixSeconds second) {
    if (!is_stretched() || second == last_second_) return false;
    stretch_ = 0;
    return true;
  }
  // One event of the second the answer has come to; while it is open.
  void take(core::UnixSeconds second) {
    const bool of_the_cap = left_ > 0 && !(stretch_ > 0 && second == until_);
    --(of_the_cap ? left_ : stretch_);
    last_second_ = second;
  }

  bool operator==(const Quota&) const = default;

 private:
  std::uint64_t left_, stretch_ = 0;
  std::optional<core::UnixSeconds> until_;
  core::UnixSeconds last_second_ = 0;
};

}  // namespace graspd::store
