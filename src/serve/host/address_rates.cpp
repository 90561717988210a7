#include "serve/host/address_rates.h"

#include <chrono>
#include <utility>

namespace graspd::serve {

void AddressRates::forget_old(core::Instant now) {
  if (now - turned_at_ < std::chrono::minutes(1)) return;
  earlier_ = std::exchange(recent_, {});
  turned_at_ = now;
}

bool AddressRates::take(const core::IpAddress& address, core::Instant now) {
  if (per_minute_ == 0) return false;
  forget_old(now);
  core::IpAddress who = address.allotment();
  if (!recent_.contains(who)) {
    const auto earlier = earlier_.find(who);
    if (earlier != earlier_.end())
      recent_.insert(earlier_.extract(earlier));
    else if (size() >= kAddressesMax)
      who = core::IpAddress();
  }
  return recent_.try_emplace(who, per_minute_, now).first->second.take(now);
}

}  // namespace graspd::serve
