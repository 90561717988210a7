// What each IP address uses, over all its connections and all network threads.
//
//   R1  An account outlives its last connection by a minute, so that hanging up does not refill
//       the bucket.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>

#include "core/ip_address.h"
#include "core/time.h"
#include "core/token_bucket.h"

namespace graspd::serve {

struct ClientLimits {
  std::size_t connections_per_address = 1'000;
  std::uint32_t events_per_minute_per_address = 6'000;
  std::size_t abuse_threshold = 10;  // connections from which an address is shown as suspicious
};

class ClientLedger {
 public:
  explicit ClientLedger(const ClientLimits& limits) : limits_(limits) {}

  bool is_full(const core::IpAddress& address) const;
  // False when the address has all the connections it may have.
  [[nodiscard]] bool enter(const core::IpAddress& address, core::Instant now);
  void leave(const core::IpAddress& address, core::Instant now);

  // False when the address has sent too many events; only for addresses that have entered.
  [[nodiscard]] bool take_event(const core::IpAddress& address, core::Instant now);

  std::size_t addresses() const;
  std::size_t suspicious_addresses() const;

 private:
  struct Account {
    std::size_t connections = 0;
    core::TokenBucket events;
    core::Instant left_at{};
  };
  struct Departure {
    core::Instant at;
    core::IpAddress address;
  };

  void forget_departed(core::Instant now);

  const ClientLimits limits_;
  mutable std::mutex mutex_;
  std::map<core::IpAddress, Account> accounts_;
  std::deque<Departure> departures_;  // in order of time
};

}  // namespace graspd::serve
