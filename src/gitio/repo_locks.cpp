#include "gitio/repo_locks.h"

#include <condition_variable>
#include <utility>

#include "core/check.h"

namespace graspd::gitio {

struct RepoLocks::Waiter {
  std::condition_variable granted;
  bool is_granted = false;
};

RepoLocks::Guard::Guard(Guard&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)), key_(std::move(other.key_)) {}

RepoLocks::Guard& RepoLocks::Guard::operator=(Guard&& other) noexcept {
  std::swap(locks_, other.locks_);
  std::swap(key_, other.key_);
  return *this;
}

RepoLocks::Guard::~Guard() {
  if (locks_ != nullptr) locks_->unlock(key_);
}

RepoLocks::~RepoLocks() { CHECK(held_.empty()); }

RepoLocks::Guard RepoLocks::lock(const std::string& key) {
  return *lock_for(key, core::Duration::max());
}

std::optional<RepoLocks::Guard> RepoLocks::lock_for(const std::string& key,
                                                    core::Duration patience) {
  std::unique_lock lock(mutex_);
  const auto [held, is_free] = held_.try_emplace(key);
  if (is_free) return Guard(*this, key);
  if (patience <= core::Duration::zero()) return std::nullopt;

  Waiter waiter;
  const auto place = held->second.insert(held->second.end(), &waiter);
  const auto is_granted = [&] { return waiter.is_granted; };
  if (patience == core::Duration::max()) {
    waiter.granted.wait(lock, is_granted);
  } else if (!waiter.granted.wait_for(lock, patience, is_granted)) {
    held->second.erase(place);
    return std::nullopt;
  }
  return Guard(*this, key);
}

std::size_t RepoLocks::size() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

std::size_t RepoLocks::waiting(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(key);
  return held == held_.end() ? 0 : held->second.size();
}

// Handed to the longest waiting, never dropped in between: who comes later cannot overtake.
void RepoLocks::unlock(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(key);
  CHECK(held != held_.end());
  if (held->second.empty()) {
    held_.erase(held);
    return;
  }
  Waiter* const next = held->second.front();
  held->second.pop_front();
  next->is_granted = true;
  next->granted.notify_one();
}

}  // namespace graspd::gitio
