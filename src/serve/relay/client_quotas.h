// What each IP address uses, over all its connections and all network threads.
//
//   R1  An account outlives its last connection by a minute, so that reconnecting does not refill
//       the token bucket.
//   R2  An IPv6 client is identified by the /64 of its address, since a customer gets a whole /64.
//   R3  Connections that are not WebSockets (yet) are counted separately, with the same limit but
//       at least kPlainMin: browsers and git open several.
//   R4  The memory that connections hold is limited per address and in total; a connection asks
//       for space before it holds more.
//   R5  On a private service, connections that have not proved to be a member's are limited, too,
//       per address and in all.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "core/ip_address.h"
#include "core/time.h"
#include "core/token_bucket.h"

namespace graspd::serve {

struct ClientLimits {
  std::size_t connections_per_address = 1'000;
  std::uint32_t events_per_minute_per_address = 6'000;
  std::size_t abuse_threshold = 10;  // connections from which an address is shown as suspicious
  std::size_t held_bytes_per_address = 256 * 1024 * 1024;
  std::size_t held_bytes = 1024 * 1024 * 1024;  // by all
  // R5. An honest client needs a moment to answer a challenge, and has 30 seconds.
  std::size_t unproven_per_address = 64;
  std::size_t unproven = 4'096;
};

class ClientQuotas {
 public:
  static constexpr std::size_t kPlainMin = 64;

  explicit ClientQuotas(const ClientLimits& limits) : limits_(limits) {}

  bool is_full(const core::IpAddress& address) const;
  // False when the address has all the connections it may have.
  [[nodiscard]] bool enter(const core::IpAddress& address, core::Instant now);
  void leave(const core::IpAddress& address, core::Instant now);

  // The same for connections that are no WebSocket.
  [[nodiscard]] bool enter_plain(const core::IpAddress& address);
  void leave_plain(const core::IpAddress& address);

  // R5. A connection that has entered; one that has proved itself, or leaves.
  void add_unproven(const core::IpAddress& address);
  void remove_unproven(const core::IpAddress& address);

  // How much more connections of this address may hold; only for addresses that have entered.
  std::size_t space(const core::IpAddress& address) const;
  // A connection held `before` bytes, and now holds `after`.
  void hold(const core::IpAddress& address, std::size_t before, std::size_t after);

  // False when the address has sent too many events; only for addresses that have entered.
  [[nodiscard]] bool take_event(const core::IpAddress& address, core::Instant now);

  std::size_t addresses() const;
  std::size_t suspicious_addresses() const;

 private:
  struct Account {
    std::size_t connections = 0;
    std::size_t plain = 0;
    std::size_t unproven = 0;
    std::size_t held = 0;
    std::optional<core::TokenBucket> events;  // since its first WebSocket, until R1 is over
    core::Instant left_at{};
  };
  struct Departure {
    core::Instant at;
    core::IpAddress address;
  };

  void forget_departed(core::Instant now);

  const ClientLimits limits_;
  mutable std::mutex mutex_;
  std::map<core::IpAddress, Account> accounts_;  // by allotment
  std::size_t held_ = 0;                         // by all
  std::size_t unproven_ = 0;                     // of all
  std::deque<Departure> departures_;             // in order of time
};

}  // namespace graspd::serve
