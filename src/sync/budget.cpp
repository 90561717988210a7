#include "sync/budget.h"

#include <algorithm>

namespace graspd::sync {
namespace {

constexpr std::size_t kSlotsDefault = 20;
constexpr std::size_t kSlotsReserve = 2;
constexpr std::size_t kSlotsMax = 200;           // a relay's claim is no reason to keep more
constexpr std::size_t kFilterBytesMax = 60'000;  // strfry stops at 65,535 value bytes
constexpr std::size_t kReqBytesMax = 512 * 1024;
constexpr std::size_t kMessageBytesMin = 4096;   // less cannot carry a filter of any use
constexpr std::size_t kFrameBytesMax = 480'000;  // as much as our own relay sends
constexpr std::uint64_t kPageLimitMax = 5000;
constexpr std::size_t kIdBytes = 67;  // hex, quotes and comma
// Servers of release 3 take 50,000 items per connection in sum.
constexpr std::uint64_t kWindowItems = 10'000;

void fit_message(Budget& budget, std::size_t bytes) {
  bytes = std::max(bytes, kMessageBytesMin);
  budget.filter_bytes = std::min(kFilterBytesMax, bytes / 4);
  budget.req_bytes = std::min(kReqBytesMax, bytes - bytes / 4);
  // A NEG-OPEN carries filter and message: three quarters for hex, one for the filter.
  budget.frame_bytes = std::min(kFrameBytesMax, bytes * 3 / 8);
}

void fit_slots(Budget& budget, std::size_t slots) {
  slots = std::clamp<std::size_t>(slots, 2, kSlotsMax);
  budget.slots = slots > 2 * kSlotsReserve ? slots - kSlotsReserve : slots;
  budget.live_slots = budget.slots - 1;
}

}  // namespace

Budget make_budget(const std::optional<PeerInformation>& information, const Lessons& lessons) {
  Budget budget;
  fit_slots(budget,
            information ? information->max_subscriptions.value_or(kSlotsDefault) : kSlotsDefault);
  if (information && information->max_message_length) {
    fit_message(budget, *information->max_message_length);
  }
  if (information && information->max_limit) {
    const auto max = std::clamp<std::uint64_t>(*information->max_limit, 1, kPageLimitMax);
    budget.page_limits = {.page = max, .second = max};
    budget.ids_max = std::min<std::size_t>(budget.ids_max, max);
  }
  if (information && information->software.find("ngit-grasp") != std::string::npos) {
    budget.window_items = kWindowItems;
  }
  if (lessons.retained_bytes_max) {
    const std::size_t cap = *lessons.retained_bytes_max;
    budget.req_bytes = std::min(budget.req_bytes, std::max(cap / 4, kMessageBytesMin / 4));
    budget.filter_bytes = std::min(budget.filter_bytes, budget.req_bytes);
    budget.live_bytes = cap > budget.req_bytes ? cap - budget.req_bytes : 0;
    budget.transients_max = 1;  // more would pass the cap together
  }
  budget.filters_per_req = lessons.filters_per_req_max;
  if (information && information->max_filters) {
    budget.filters_per_req =
        std::min<std::size_t>(budget.filters_per_req, *information->max_filters);
  }
  budget.ids_max = std::min(budget.ids_max, budget.filter_bytes / kIdBytes);
  budget.ids_per_fetch = budget.ids_max;
  return budget;
}

bool may_reconcile(const std::optional<PeerInformation>& information, const Lessons& lessons,
                   core::UnixSeconds now) {
  if (lessons.negentropy_refused_until && now < *lessons.negentropy_refused_until) return false;
  if (lessons.negentropy_worked || !information || !information->supported_nips) return true;
  const auto& nips = *information->supported_nips;
  return std::find(nips.begin(), nips.end(), 77) != nips.end();
}

bool is_grasp_server(const std::optional<PeerInformation>& information) {
  return information && !information->supported_grasps.empty();
}

bool is_private(const std::optional<PeerInformation>& information) {
  if (!information) return false;
  const auto& grasps = information->supported_grasps;
  return std::find(grasps.begin(), grasps.end(), "GRASP-08") != grasps.end();
}

}  // namespace graspd::sync
