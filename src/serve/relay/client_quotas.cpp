#include "serve/relay/client_quotas.h"

#include <algorithm>
#include <limits>

#include "core/check.h"

namespace graspd::serve {

namespace {

constexpr core::Duration kMemory{60'000};

std::size_t left_of(std::size_t max, std::size_t taken) {
  if (max == 0) return std::numeric_limits<std::size_t>::max();
  return max - std::min(max, taken);
}

}  // namespace

bool ClientQuotas::is_full(const core::IpAddress& address) const {
  std::lock_guard lock(mutex_);
  if (unproven_ >= limits_.unproven) return true;
  auto found = accounts_.find(address.allotment());
  if (found == accounts_.end()) return false;
  std::size_t max = limits_.connections_per_address;
  return (max > 0 && found->second.connections >= max) ||
         found->second.unproven >= limits_.unproven_per_address;
}

void ClientQuotas::add_unproven(const core::IpAddress& address) {
  std::lock_guard lock(mutex_);
  accounts_.at(address.allotment()).unproven += 1;
  unproven_ += 1;
}

void ClientQuotas::remove_unproven(const core::IpAddress& address) {
  std::lock_guard lock(mutex_);
  Account& account = accounts_.at(address.allotment());
  CHECK(account.unproven > 0 && unproven_ > 0);
  account.unproven -= 1;
  unproven_ -= 1;
}

bool ClientQuotas::enter(const core::IpAddress& address, core::Instant now) {
  std::lock_guard lock(mutex_);
  forget_departed(now);
  Account& account = accounts_[address.allotment()];
  if (!account.events)
    account.events = core::TokenBucket(limits_.events_per_minute_per_address, now);
  std::size_t max = limits_.connections_per_address;
  if (max > 0 && account.connections >= max) return false;
  account.connections += 1;
  return true;
}

void ClientQuotas::leave(const core::IpAddress& address, core::Instant now) {
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address.allotment());
  CHECK(found != accounts_.end() && found->second.connections > 0);
  if (--found->second.connections > 0) return;
  found->second.left_at = now;
  departures_.push_back({now, found->first});
}

bool ClientQuotas::enter_plain(const core::IpAddress& address) {
  std::lock_guard lock(mutex_);
  Account& account = accounts_[address.allotment()];
  std::size_t max = limits_.connections_per_address;
  if (max > 0 && account.plain >= std::max(max, kPlainMin)) return false;
  account.plain += 1;
  return true;
}

void ClientQuotas::leave_plain(const core::IpAddress& address) {
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address.allotment());
  CHECK(found != accounts_.end() && found->second.plain > 0);
  found->second.plain -= 1;
  if (found->second.plain == 0 && !found->second.events) accounts_.erase(found);
}

std::size_t ClientQuotas::space(const core::IpAddress& address) const {
  std::lock_guard lock(mutex_);
  const Account& account = accounts_.at(address.allotment());
  return std::min(left_of(limits_.held_bytes_per_address, account.held),
                  left_of(limits_.held_bytes, held_));
}

void ClientQuotas::hold(const core::IpAddress& address, std::size_t before, std::size_t after) {
  std::lock_guard lock(mutex_);
  Account& account = accounts_.at(address.allotment());
  CHECK(account.held >= before && held_ >= before);
  account.held = account.held - before + after;
  held_ = held_ - before + after;
}

void ClientQuotas::forget_departed(core::Instant now) {
  while (!departures_.empty() && now - departures_.front().at >= kMemory) {
    auto found = accounts_.find(departures_.front().address);
    bool gone = found != accounts_.end() && found->second.connections == 0 &&
                found->second.left_at == departures_.front().at;
    if (gone) found->second.events.reset();
    if (gone && found->second.plain == 0) accounts_.erase(found);
    departures_.pop_front();
  }
}

bool ClientQuotas::take_event(const core::IpAddress& address, core::Instant now) {
  if (limits_.events_per_minute_per_address == 0) return true;
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(address.allotment());
  CHECK(found != accounts_.end() && found->second.events);
  return found->second.events->take(now);
}

std::size_t ClientQuotas::addresses() const {
  std::lock_guard lock(mutex_);
  auto present = [](const auto& entry) { return entry.second.connections > 0; };
  return static_cast<std::size_t>(std::ranges::count_if(accounts_, present));
}

std::size_t ClientQuotas::suspicious_addresses() const {
  std::lock_guard lock(mutex_);
  auto suspicious = [&](const auto& entry) {
    return entry.second.connections > limits_.abuse_threshold;
  };
  return static_cast<std::size_t>(std::ranges::count_if(accounts_, suspicious));
}

}  // namespace graspd::serve
