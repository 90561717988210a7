#include "serve/client_ledger.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::serve {

constexpr core::Duration kMemory{60'000};

bool ClientLedger::is_full(const core::IpAddress& address) const {
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address);
  std::size_t max = limits_.connections_per_address;
  return max > 0 && found != accounts_.end() && found->second.connections >= max;
}

bool ClientLedger::enter(const core::IpAddress& address, core::Instant now) {
  std::lock_guard lock(mutex_);
  forget_departed(now);
  auto [found, is_new] = accounts_.try_emplace(address);
  Account& account = found->second;
  if (is_new) account.events = core::TokenBucket(limits_.events_per_minute_per_address, now);
  std::size_t max = limits_.connections_per_address;
  if (max > 0 && account.connections >= max) return false;
  account.connections += 1;
  return true;
}

void ClientLedger::leave(const core::IpAddress& address, core::Instant now) {
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address);
  CHECK(found != accounts_.end() && found->second.connections > 0);
  if (--found->second.connections > 0) return;
  found->second.left_at = now;
  departures_.push_back({now, address});
}

void ClientLedger::forget_departed(core::Instant now) {
  while (!departures_.empty() && now - departures_.front().at >= kMemory) {
    auto found = accounts_.find(departures_.front().address);
    bool gone = found != accounts_.end() && found->second.connections == 0 &&
                found->second.left_at == departures_.front().at;
    if (gone) accounts_.erase(found);
    departures_.pop_front();
  }
}

bool ClientLedger::take_event(const core::IpAddress& address, core::Instant now) {
  if (limits_.events_per_minute_per_address == 0) return true;
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address);
  CHECK(found != accounts_.end());
  return found->second.events.take(now);
}

std::size_t ClientLedger::addresses() const {
  std::lock_guard lock(mutex_);
  auto present = [](const auto& entry) { return entry.second.connections > 0; };
  return static_cast<std::size_t>(std::ranges::count_if(accounts_, present));
}

std::size_t ClientLedger::suspicious_addresses() const {
  std::lock_guard lock(mutex_);
  auto suspicious = [&](const auto& entry) {
    return entry.second.connections > limits_.abuse_threshold;
  };
  return static_cast<std::size_t>(std::ranges::count_if(accounts_, suspicious));
}

}  // namespace graspd::serve
