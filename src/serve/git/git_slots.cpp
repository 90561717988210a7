#include "serve/git/git_slots.h"

#include <algorithm>

#include "net/later.h"

namespace graspd::serve {

namespace {

constexpr std::size_t kShare = 4;
// Of the memory, for advertisements: they need little of it.
constexpr std::uint64_t kAdvertisementShare = 8;
constexpr core::Duration kLookAgain{1'000};

}  // namespace

GitSlotLimits GitSlotLimits::for_advertisements() const {
  GitSlotLimits limits = *this;
  if (processes_max > 0) limits.processes_max = std::max<std::size_t>(processes_max / kShare, 1);
  limits.memory_max /= kAdvertisementShare;
  return limits;
}

// R1
std::size_t GitSlotLimits::per_address() const {
  if (processes_max == 0) return processes_per_ip_max;
  const std::size_t quarter = std::max<std::size_t>(processes_max / kShare, 1);
  return processes_per_ip_max == 0 ? quarter : std::min(processes_per_ip_max, quarter);
}

net::Task<std::optional<GitSlots::Slot>> GitSlots::take(core::IpAddress client,
                                                        std::shared_ptr<net::Exchange> exchange,
                                                        std::uint64_t memory) {
  client = client.allotment();
  auto waiter = std::make_shared<Waiter>();
  waiter->client = client;
  waiter->memory = memory;
  waiter->thread = exchange->thread();
  {
    std::lock_guard lock(mutex_);
    Account& account = accounts_[client];
    if (account.waiting.empty() && has_space(account, memory)) {
      grant(account, memory);
      co_return std::optional<Slot>(std::in_place, *this, client, memory);
    }
    enqueue(waiter);
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
  auto impatience = lose_patience(std::move(exchange), limits_.patience);
  co_await net::first(wait_for_grant(waiter), std::move(impatience));
  std::lock_guard lock(mutex_);
  if (!waiter->granted) co_return std::nullopt;
  leave.taken = true;
  co_return std::optional<Slot>(std::in_place, *this, client, memory);
}

// The word may have come before anybody listened: the flag counts. Nobody tells when processes end
// that need no slot.
net::Task<void> GitSlots::wait_for_grant(std::shared_ptr<Waiter> waiter) {
  while (!waiter->granted) {
    co_await net::first(wait_for_word(waiter), net::pause(kLookAgain));
    look_again();
  }
}

net::Task<void> GitSlots::wait_for_word(std::shared_ptr<Waiter> waiter) {
  if (!waiter->granted) co_await waiter->word.wait();
}

void GitSlots::look_again() {
  std::lock_guard lock(mutex_);
  wake_waiters();
}

// R3
net::Task<void> GitSlots::lose_patience(std::shared_ptr<net::Exchange> exchange,
                                        core::Duration patience) {
  co_await net::first(exchange->gone(), net::pause(patience));
}

bool GitSlots::has_space(const Account& account, std::uint64_t memory) const {
  const std::size_t most = limits_.per_address();
  const bool any = limits_.processes_max == 0 || taken_ < limits_.processes_max;
  return any && (most == 0 || account.taken < most) && has_memory(account, memory);
}

// R3. Work of ours never takes more than half from those who wait.
bool GitSlots::has_memory(const Account& account, std::uint64_t memory) const {
  const std::uint64_t most = limits_.memory_max;
  if (most == 0 || taken_ == 0) return true;
  const std::uint64_t ours = elsewhere_ ? std::min(elsewhere_(), most / 2) : 0;
  if (memory_ + memory + ours > most) return false;
  return account.taken == 0 || account.memory + memory <= most / kShare;
}

void GitSlots::grant(Account& account, std::uint64_t memory) {
  ++taken_;
  ++account.taken;
  memory_ += memory;
  account.memory += memory;
}

void GitSlots::enqueue(const std::shared_ptr<Waiter>& waiter) {
  Queue& queue = accounts_[waiter->client].waiting;
  if (queue.empty()) turns_.push_back(waiter->client);
  queue.push_back(waiter);
  ++waiting_;
}

void GitSlots::give_back(const core::IpAddress& client, std::uint64_t memory) {
  std::lock_guard lock(mutex_);
  --taken_;
  --accounts_.at(client).taken;
  shrink(client, memory);
  forget_if_idle(client);
}

void GitSlots::shrink(const core::IpAddress& client, std::uint64_t by) {
  memory_ -= by;
  accounts_.at(client).memory -= by;
  wake_waiters();
}

void GitSlots::Slot::shrink_to(std::uint64_t memory) {
  if (memory >= memory_) return;
  std::lock_guard lock(slots_->mutex_);
  slots_->shrink(client_, memory_ - memory);
  memory_ = memory;
}

// R2. Those are passed over whose address has all it may, and who need more memory than there is.
void GitSlots::wake_waiters() {
  for (auto at = turns_.begin(); at != turns_.end();) {
    if (limits_.processes_max > 0 && taken_ >= limits_.processes_max) return;
    Account& account = accounts_.at(*at);
    const auto waiter = account.waiting.front();
    if (!has_space(account, waiter->memory)) {
      ++at;
      continue;
    }
    account.waiting.pop_front();
    --waiting_;
    waiter->granted = true;
    grant(account, waiter->memory);
    server_.post(waiter->thread, [waiter] { waiter->word.notify(); });
    const auto served = at++;
    if (account.waiting.empty())
      turns_.erase(served);
    else
      turns_.splice(turns_.end(), turns_, served);
    if (at == turns_.end()) at = turns_.begin();
  }
}

void GitSlots::give_up(const std::shared_ptr<Waiter>& waiter) {
  {
    std::lock_guard lock(mutex_);
    if (!waiter->granted) {
      Queue& queue = accounts_.at(waiter->client).waiting;
      waiting_ -= queue.remove(waiter);
      if (queue.empty()) turns_.remove(waiter->client);
      forget_if_idle(waiter->client);
      return;
    }
  }
  give_back(waiter->client, waiter->memory);
}

void GitSlots::forget_if_idle(const core::IpAddress& client) {
  const auto at = accounts_.find(client);
  if (at->second.taken == 0 && at->second.waiting.empty()) accounts_.erase(at);
}

std::size_t GitSlots::taken() const {
  std::lock_guard lock(mutex_);
  return taken_;
}

std::uint64_t GitSlots::memory() const {
  std::lock_guard lock(mutex_);
  return memory_;
}

std::size_t GitSlots::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace graspd::serve
