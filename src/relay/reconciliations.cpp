#include "relay/reconciliations.h"

#include <fmt/format.h>

#include "core/check.h"

namespace graspd::relay {
namespace {

namespace says = nostr::relay_says;

Send neg_error(std::string_view name, std::string_view reason) {
  return Send{says::neg_error(name, reason, std::nullopt)};
}

}  // namespace

void Reconciliations::open(core::Now, nostr::client::NegOpen message, Actions& actions) {
  close(message.subscription, actions);  // R1
  const auto& name = message.subscription;
  std::size_t name_max = limits_.subscription_id_bytes;
  if (name_max > 0 && name.size() > name_max)
    return close_with(name, fmt::format("blocked: subscription ID exceeds max length {}", name_max),
                      actions);
  if (limits_.negentropy_sessions > 0 && open_.size() >= limits_.negentropy_sessions)
    return close_with(name, "rate-limited: too many negentropy subscriptions", actions);
  Handle handle = ++handles_;
  by_name_[message.subscription] = handle;
  open_[handle].name = std::move(message.subscription);
  actions.push_back(
      OpenReconciliation{handle, std::move(message.filter), std::move(message.message)});
}

void Reconciliations::proceed(core::Now, nostr::client::NegMessage message, Actions& actions) {
  auto found = by_name_.find(message.subscription);
  if (found == by_name_.end())
    return close_with(message.subscription, "closed: this session is not open (any more)", actions);
  Open& session = open_.at(found->second);
  if (session.busy)
    return end_with_error(found->second, "invalid: wait for the answer to the last message",
                          actions);
  session.busy = true;
  actions.push_back(ContinueReconciliation{found->second, std::move(message.message)});
}

void Reconciliations::close(const nostr::SubscriptionId& name, Actions& actions) {
  auto found = by_name_.find(name);
  if (found != by_name_.end()) end(found->second, actions);
}

void Reconciliations::close_with(const nostr::SubscriptionId& name, std::string_view reason,
                                 Actions& actions) {
  close(name, actions);
  actions.push_back(neg_error(name, reason));
}

void Reconciliations::reconciled(core::Now now, const Reconciled& in, Actions& actions) {
  auto found = open_.find(in.reconciliation);
  if (found == open_.end()) return;
  found->second.busy = false;
  found->second.answered_at = now.instant;
  actions.push_back(Send{says::neg_message(found->second.name, in.message)});
}

void Reconciliations::refused(const ReconciliationRefused& in, Actions& actions) {
  auto found = open_.find(in.reconciliation);
  if (found == open_.end()) return;
  actions.push_back(Send{says::neg_error(found->second.name, in.reason, in.cap)});
  end(in.reconciliation, actions);
}

void Reconciliations::drop_idle(core::Now now, Actions& actions) {
  for (auto next = open_.begin(); next != open_.end();) {
    auto& [handle, session] = *next++;
    if (!session.busy && now.instant - session.answered_at >= limits_.negentropy_idle)
      end_with_error(handle, "closed: you took too long to respond", actions);
  }
}

void Reconciliations::end_with_error(Handle handle, std::string_view reason, Actions& actions) {
  actions.push_back(neg_error(open_.at(handle).name, reason));
  end(handle, actions);
}

void Reconciliations::end(Handle handle, Actions& actions) {
  auto found = open_.find(handle);
  CHECK(found != open_.end());
  actions.push_back(EndReconciliation{handle});
  by_name_.erase(found->second.name);
  open_.erase(found);
}

}  // namespace graspd::relay
