// New events that wait for a client which reads more slowly than they arrive.
//
//   R1  Events go to the socket in portions, while it has no more than kPortionBytes unsent. A
//       waiting event is shared by all clients that wait for it.
//   R2  A client is too far behind when `bytes_max` bytes from earlier batches are unread. A single
//       batch, however large, does not make a client too slow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "nostr/wire_event.h"
#include "relay/messages.h"

namespace graspd::relay {

class Backlog {
 public:
  static constexpr std::size_t kPortionBytes = 512 * 1024;

  explicit Backlog(std::size_t bytes_max) : bytes_max_(bytes_max) {}  // 0: no limit

  // `unsent` is what the socket has. False: too far behind (R2), and nothing was taken.
  [[nodiscard]] bool take(Delivered event, std::size_t unsent);
  // The next for the socket; none while it has enough (R1).
  std::optional<Delivered> next(std::size_t unsent);

  bool empty() const { return given_ == waiting_.size(); }
  void clear();

 private:
  void drop_given();

  const std::size_t bytes_max_;
  std::vector<Delivered> waiting_;
  std::size_t given_ = 0;  // of waiting_
  std::size_t bytes_ = 0;  // of those not given
  std::uint64_t batch_ = 0;
  std::size_t behind_ = 0;  // when batch_ began
};

}  // namespace graspd::relay
