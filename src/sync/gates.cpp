#include "sync/gates.h"

#include <algorithm>

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kDialsMax = 8;
constexpr core::Duration kDialSpacing = 250ms;
constexpr core::Duration kFaultSpan = 60s;
constexpr std::size_t kFaultDialsMin = 3;  // fewer are no evidence
constexpr std::size_t kHistoryMax = 8;
constexpr core::Duration kHistoryTurn = 60s;
constexpr core::Duration kHistoryTurnMax = 120s;

}  // namespace

std::optional<core::Instant> DialGate::ready_at(core::Instant now) const {
  if (in_progress_ >= kDialsMax) return std::nullopt;
  return last_start_ ? std::max(now, *last_start_ + kDialSpacing) : now;
}

void DialGate::started(core::Instant now) {
  ++in_progress_;
  last_start_ = now;
}

void DialGate::report(core::Instant now, RelayId relay, bool connected) {
  results_[relay] = {now, connected};
}

bool DialGate::fault_is_ours(core::Instant now) {  // R2
  std::erase_if(results_,
                [&](const auto& result) { return now - result.second.first > kFaultSpan; });
  const auto failed = static_cast<std::size_t>(std::count_if(
      results_.begin(), results_.end(), [](const auto& result) { return !result.second.second; }));
  return results_.size() >= kFaultDialsMin && 2 * failed >= results_.size();
}

std::vector<RelayId> DialGate::accused() const {
  std::vector<RelayId> out;
  for (const auto& [relay, result] : results_) {
    if (!result.second) out.push_back(relay);
  }
  return out;
}

bool HistoryGate::enter(RelayId relay, core::Instant now) {
  if (inside_.contains(relay)) return !must_yield(relay, now);
  if (queued_.contains(relay)) return false;
  if (queue_.empty() && inside_.size() < kHistoryMax) {
    inside_.emplace(relay, now);
    return true;
  }
  queue_.push_back(relay);
  queued_.insert(relay);
  return false;
}

void HistoryGate::leave(RelayId relay) {
  inside_.erase(relay);
  if (queued_.erase(relay) > 0) std::erase(queue_, relay);
}

void HistoryGate::yield(RelayId relay) {
  inside_.erase(relay);
  if (queued_.insert(relay).second) queue_.push_back(relay);
}

bool HistoryGate::must_yield(RelayId relay, core::Instant now) const {
  const auto at = inside_.find(relay);
  return at != inside_.end() && !queue_.empty() && now - at->second >= kHistoryTurn;
}

void HistoryGate::put_out_the_slowest(core::Instant now) {  // R5
  const auto slowest =
      std::min_element(inside_.begin(), inside_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_over = slowest != inside_.end() && now - slowest->second >= kHistoryTurnMax;
  if (is_over) yield(slowest->first);
}

std::optional<RelayId> HistoryGate::take_admitted(core::Instant now) {
  if (!queue_.empty() && inside_.size() >= kHistoryMax) put_out_the_slowest(now);
  if (queue_.empty() || inside_.size() >= kHistoryMax) return std::nullopt;
  const RelayId relay = queue_.front();
  queue_.pop_front();
  queued_.erase(relay);
  inside_.emplace(relay, now);
  return relay;
}

}  // namespace graspd::sync
