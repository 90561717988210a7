#include "relay/requests.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/check.h"
#include "relay/footprint.h"

namespace graspd::relay {
namespace {

namespace says = nostr::relay_says;

// A second in which more events were written is a flood, and who pages through it sees some of it.
constexpr std::uint64_t kStretchMax = 10'000;
constexpr std::string_view kNoSpace =
    "rate-limited: your address or all clients together keep too much; close something, or try "
    "again later";

// What a subscription occupies beside its filters, its name and its places in the index.
constexpr std::size_t kBookkeepingBytes = 512;

std::size_t occupied_by(const nostr::client::Request& request) {
  constexpr std::size_t kNames = 3;  // of the subscription, by name, and while it is read
  return kBookkeepingBytes + kNames * heap_footprint(request.subscription.size()) +
         footprint(request.filters) + Subscriptions::footprint(request.filters);
}

bool wants_stored_events(const std::vector<nostr::Filter>& filters) {
  return std::ranges::any_of(filters, [](const auto& filter) { return filter.limit != 0u; });
}

}  // namespace

std::optional<std::string> Requests::refuse_form(const nostr::SubscriptionId& name,
                                                 std::size_t filters) const {
  if (limits_.subscription_id_bytes > 0 && name.size() > limits_.subscription_id_bytes)
    return fmt::format("blocked: subscription ID exceeds max length {}",
                       limits_.subscription_id_bytes);
  if (limits_.filters_per_request > 0 && filters > limits_.filters_per_request)
    return fmt::format("rate-limited: REQ exceeds max filter count {}",
                       limits_.filters_per_request);
  return std::nullopt;
}

std::optional<std::string> Requests::refuse(const nostr::client::Request& request, const Cost& cost,
                                            std::size_t occupied) const {
  const auto& name = request.subscription;
  if (auto reason = refuse_form(name, request.filters.size())) return reason;
  auto replaced = by_name_.find(name);
  bool is_new = replaced == by_name_.end();
  const Subscription none;
  const Subscription& old = is_new ? none : subscriptions_.at(replaced->second);
  if (limits_.subscriptions > 0 && is_new && subscriptions_.size() >= limits_.subscriptions)
    return "rate-limited: too many REQs";
  if (limits_.subscription_bytes > 0 &&
      bytes_ - old.bytes + cost.text_bytes > limits_.subscription_bytes)
    return fmt::format("rate-limited: active subscriptions exceed max size {} bytes",
                       limits_.subscription_bytes);
  if (occupied > old.occupied && occupied - old.occupied > cost.space) return std::string(kNoSpace);
  return std::nullopt;
}

// R4
store::Quota Requests::quota_of(const nostr::Filter& filter) const {
  const std::uint64_t asked = filter.limit.value_or(store::Quota::kAll);
  const bool is_capped = !filter.ids && limits_.filter_limit > 0 && asked > limits_.filter_limit;
  if (!is_capped) return store::Quota(asked);
  return {limits_.filter_limit, std::min(kStretchMax, asked - limits_.filter_limit), filter.until};
}

Read Requests::read(Handle handle, const Subscription& subscription) const {
  Read read{handle, subscription.name, subscription.filters, {}};
  for (const nostr::Filter& filter : *subscription.filters) read.quotas.push_back(quota_of(filter));
  return read;
}

void Requests::open(nostr::client::Request request, const Cost& cost, Actions& actions) {
  const std::size_t occupied = occupied_by(request);
  if (auto reason = refuse(request, cost, occupied))
    return close_with(request.subscription, *reason, actions);
  close_request(request.subscription, actions);
  bool stored = wants_stored_events(request.filters);
  Handle handle = ++handles_;
  auto filters = std::make_shared<const std::vector<nostr::Filter>>(std::move(request.filters));
  by_name_[request.subscription] = handle;
  bytes_ += cost.text_bytes;
  occupied_ += occupied;
  auto& subscription = subscriptions_[handle];
  subscription.name = std::move(request.subscription);
  subscription.filters = filters;
  subscription.bytes = cost.text_bytes;
  subscription.occupied = occupied;
  actions.push_back(Listen{handle, filters});
  if (stored) return enqueue(handle, actions);
  go_live(subscription, nostr::Completeness::Unknown, actions);
}

void Requests::close_request(const nostr::SubscriptionId& name, Actions& actions) {
  auto found = by_name_.find(name);
  if (found != by_name_.end()) drop(found->second, actions);
}

void Requests::close(const nostr::SubscriptionId& name, Actions& actions) {
  close_request(name, actions);
  for (auto next = counts_.begin(); next != counts_.end();) {
    auto& [handle, count] = *next++;
    if (count.name == name) end_count(handle, actions);
  }
}

void Requests::close_with(const nostr::SubscriptionId& name, std::string_view reason,
                          Actions& actions) {
  close(name, actions);
  actions.push_back(Send{says::closed(name, reason)});
}

void Requests::close_all(std::string_view reason, Actions& actions) {
  while (!subscriptions_.empty()) {
    const nostr::SubscriptionId name = subscriptions_.begin()->second.name;
    close_with(name, reason, actions);
  }
}

void Requests::drop(Handle handle, Actions& actions) {
  auto found = subscriptions_.find(handle);
  CHECK(found != subscriptions_.end());
  actions.push_back(Unlisten{handle});
  if (reading_.contains(handle)) actions.push_back(CancelQuery{handle});
  let_go(found->second);
  bytes_ -= found->second.bytes;
  occupied_ -= found->second.occupied;
  by_name_.erase(found->second.name);
  subscriptions_.erase(found);
  release(handle, actions);
}

std::optional<std::string> Requests::refuse(const nostr::client::Count& count, const Cost& cost,
                                            std::size_t occupied) const {
  if (auto reason = refuse_form(count.subscription, count.filters.size())) return reason;
  if (limits_.subscription_bytes > 0 && count_bytes_ + cost.text_bytes > limits_.subscription_bytes)
    return "rate-limited: too many queries";
  if (occupied > cost.space) return std::string(kNoSpace);
  return std::nullopt;
}

void Requests::count(nostr::client::Count count, const Cost& cost, Actions& actions) {
  const std::size_t occupied = footprint(count.filters);
  if (auto reason = refuse(count, cost, occupied))
    return close_with(count.subscription, *reason, actions);
  count_bytes_ += cost.text_bytes;
  occupied_ += occupied;
  Handle handle = ++handles_;
  auto filters = std::make_shared<const std::vector<nostr::Filter>>(std::move(count.filters));
  counts_[handle] = {std::move(count.subscription), std::move(filters), count.hll_offset,
                     cost.text_bytes, occupied};
  enqueue(handle, actions);
}

void Requests::enqueue(Handle handle, Actions& actions) {
  waiting_.push_back(handle);
  start_waiting(actions);
}

void Requests::start_waiting(Actions& actions) {
  while (!waiting_.empty() &&
         (limits_.queries_in_flight == 0 || reading_.size() < limits_.queries_in_flight)) {
    Handle handle = waiting_.front();
    waiting_.pop_front();
    if (auto subscription = subscriptions_.find(handle); subscription != subscriptions_.end()) {
      actions.push_back(read(handle, subscription->second));
    } else {
      const PendingCount& query = counts_.at(handle);
      actions.push_back(Count{handle, query.filters, query.hll_offset});
    }
    reading_.insert(handle);
  }
}

void Requests::release(Handle handle, Actions& actions) {
  std::erase(waiting_, handle);
  if (reading_.erase(handle) > 0) start_waiting(actions);
}

void Requests::delivered(Delivered in, Actions& actions) {
  auto found = subscriptions_.find(in.subscription);
  if (found == subscriptions_.end()) return;
  Subscription& subscription = found->second;
  if (subscription.live) {
    actions.push_back(Send{says::event(subscription.name, in.event->json)});
    return;
  }
  if (in.batch != batch_) {
    batch_ = in.batch;
    held_back_before_it_ = held_back_bytes_;
  }
  if (limits_.outbound_bytes > 0 && held_back_before_it_ > limits_.outbound_bytes) {
    const nostr::SubscriptionId name = subscription.name;
    return close_with(name, "error: too far behind; ask again", actions);
  }
  subscription.held_back_bytes += in.event->json.size();
  held_back_bytes_ += in.event->json.size();
  subscription.held_back.push_back(std::move(in.event));
}

void Requests::go_live(Subscription& subscription, nostr::Completeness completeness,
                       Actions& actions) {
  subscription.live = true;
  actions.push_back(Send{says::eose(subscription.name, completeness)});
  for (const auto& event : subscription.held_back)
    actions.push_back(Send{says::event(subscription.name, event->json)});
  let_go(subscription);
}

void Requests::let_go(Subscription& subscription) {
  subscription.held_back = {};
  held_back_bytes_ -= std::exchange(subscription.held_back_bytes, 0);
}

void Requests::read_ended(const ReadEnded& in, Actions& actions) {
  auto found = subscriptions_.find(in.subscription);
  if (found == subscriptions_.end()) return;
  go_live(found->second, in.completeness, actions);
  release(in.subscription, actions);
}

void Requests::counted(const Counted& in, Actions& actions) {
  auto found = counts_.find(in.query);
  if (found == counts_.end()) return;
  actions.push_back(Send{says::count(found->second.name, in.count, in.hll_hex)});
  reading_.erase(in.query);
  end_count(in.query, actions);
  start_waiting(actions);
}

void Requests::end_count(Handle handle, Actions& actions) {
  if (reading_.contains(handle)) actions.push_back(CancelQuery{handle});
  const PendingCount& count = counts_.at(handle);
  count_bytes_ -= count.bytes;
  occupied_ -= count.occupied;
  counts_.erase(handle);
  release(handle, actions);
}

void Requests::failed(const QueryFailed& in, Actions& actions) {
  std::optional<nostr::SubscriptionId> name;
  if (auto count = counts_.find(in.query); count != counts_.end()) name = count->second.name;
  if (auto found = subscriptions_.find(in.query); found != subscriptions_.end())
    name = found->second.name;
  if (name) close_with(*name, in.reason, actions);
}

}  // namespace graspd::relay
