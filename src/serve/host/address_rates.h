// How often each address may do something: so many a minute, with a burst of one minute's worth.
//
//   R1  An address that did nothing for two minutes is forgotten: its bucket would be full again.
//   R2  An IPv6 client is the /64 of its address, as in serve/relay/client_quotas.h.
//   R3  More than kAddressesMax within two minutes share one bucket: memory is bounded.
//
// Not thread-safe.
#pragma once
#include <cstdint>
#include <map>

#include "core/ip_address.h"
#include "core/time.h"
#include "core/token_bucket.h"

namespace graspd::serve {

class AddressRates {
 public:
  static constexpr std::size_t kAddressesMax = 100'000;

  explicit AddressRates(std::uint32_t per_minute) : per_minute_(per_minute) {}  // 0: never

  [[nodiscard]] bool take(const core::IpAddress& address, core::Instant now);
  std::size_t size() const { return recent_.size() + earlier_.size(); }

 private:
  void forget_old(core::Instant now);

  const std::uint32_t per_minute_;
  std::map<core::IpAddress, core::TokenBucket> recent_, earlier_;
  core::Instant turned_at_{};
};

}  // namespace graspd::serve
