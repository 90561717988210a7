// The memory that all peers together use before their input is decided: incomplete messages, and
// events on their way to the store.
//
//   R1  When the sum exceeds `max` (bytes; 0: no limit), the peer that holds most is to be dropped.
//       A peer that holds little is never dropped for what others hold.
//   R2  When the sum exceeds half of `max`, a peer with undecided events is not read from until
//       they are decided. So a busy store slows peers down and drops none.
//   R3  A change costs the logarithm of the number of peers.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sync/names.h"

namespace graspd::serve {

class PeerBytes {
 public:
  explicit PeerBytes(std::size_t max) : max_(max) {}

  // This connection holds so much from now on.
  void hold(sync::Session peer, std::size_t bytes) {
    const auto [at, is_new] = held_.try_emplace(peer, 0);
    if (!is_new) by_size_.erase({at->second, peer});
    total_ = total_ - at->second + bytes;
    at->second = bytes;
    if (bytes == 0)
      held_.erase(at);
    else
      by_size_.emplace(bytes, peer);
  }
  std::size_t held_by(sync::Session peer) const {
    const auto at = held_.find(peer);
    return at == held_.end() ? 0 : at->second;
  }

  std::optional<sync::Session> to_drop() const {  // R1
    if (max_ == 0 || total_ <= max_) return std::nullopt;
    return by_size_.rbegin()->second;
  }
  bool is_tight() const { return max_ > 0 && total_ > max_ / 2; }  // R2
  std::size_t total() const { return total_; }
  std::size_t max() const { return max_; }

 private:
  const std::size_t max_;
  std::size_t total_ = 0;
  std::map<sync::Session, std::size_t> held_;
  std::set<std::pair<std::size_t, sync::Session>> by_size_;
};

}  // namespace graspd::serve
