#include "serve/git_slots.h"

#include "net/later.h"

namespace graspd::serve {

net::Task<std::optional<GitSlots::Slot>> GitSlots::take(core::IpAddress client,
                                                        std::size_t thread) {
  client = client.allotment();
  auto waiter = std::make_shared<Waiter>();
  waiter->client = client;
  waiter->thread = thread;
  {
    std::lock_guard lock(mutex_);
    if (has_room(client)) {
      grant(client);
      co_return std::optional<Slot>(std::in_place, *this, client);
    }
    waiters_.push_back(waiter);
  }
  // Whatever ends the wait, cancellation too, leaves the queue, and a slot given meanwhile goes on.
  struct Leave {
    GitSlots& slots;
    std::shared_ptr<Waiter> waiter;
    bool taken = false;
    ~Leave() {
      if (!taken) slots.give_up(waiter);
    }
  } leave{*this, waiter};
  co_await net::first(wait_for_grant(waiter), net::pause(limits_.patience));
  std::lock_guard lock(mutex_);
  if (!waiter->granted) co_return std::nullopt;
  leave.taken = true;
  co_return std::optional<Slot>(std::in_place, *this, client);
}

// The word may have come before anybody listened: the flag counts.
net::Task<void> GitSlots::wait_for_grant(std::shared_ptr<Waiter> waiter) {
  while (!waiter->granted) co_await waiter->word.wait();
}

bool GitSlots::has_room(const core::IpAddress& client) const {
  if (limits_.processes_max > 0 && taken_ >= limits_.processes_max) return false;
  const auto at = by_client_.find(client);
  return limits_.processes_per_ip_max == 0 || at == by_client_.end() ||
         at->second < limits_.processes_per_ip_max;
}

void GitSlots::grant(const core::IpAddress& client) {
  ++taken_;
  ++by_client_[client];
}

void GitSlots::give_back(const core::IpAddress& client) {
  std::lock_guard lock(mutex_);
  --taken_;
  const auto at = by_client_.find(client);
  if (--at->second == 0) by_client_.erase(at);
  wake_waiters();
}

void GitSlots::wake_waiters() {
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    if (!has_room((*at)->client)) {
      ++at;
      continue;
    }
    const auto waiter = *at;
    at = waiters_.erase(at);
    waiter->granted = true;
    grant(waiter->client);
    server_.post(waiter->thread, [waiter] { waiter->word.notify(); });
  }
}

void GitSlots::give_up(const std::shared_ptr<Waiter>& waiter) {
  bool granted = false;
  {
    std::lock_guard lock(mutex_);
    granted = waiter->granted;
    waiters_.remove(waiter);
  }
  if (granted) give_back(waiter->client);
}

std::size_t GitSlots::taken() const {
  std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace graspd::serve
