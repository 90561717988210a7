#include "serve/host/alignment_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::serve {

void SettlementQueue::post(const grasp::Identifier& identifier) {
  std::lock_guard lock(mutex_);
  enter(identifier).again = true;
}

void SettlementQueue::post(const grasp::Identifier& identifier, std::vector<PullScope> pulls) {
  if (pulls.empty()) return;
  std::lock_guard lock(mutex_);
  auto& slices = enter(identifier).slices;
  for (PullScope& pull : pulls)
    slices.push_back({.views = {}, .pulls = {std::move(pull)}, .patient = true});
}

SettlementQueue::Family& SettlementQueue::enter(const grasp::Identifier& identifier) {
  const auto [at, is_new] = families_.try_emplace(identifier);
  if (is_new) workers_.post([this, identifier] { step(identifier); });
  return at->second;
}

void SettlementQueue::step(const grasp::Identifier& identifier) {
  auto slice = next(identifier);
  if (!slice) return;
  settle_(identifier, *std::move(slice));
  workers_.post([this, identifier] { step(identifier); });
}

std::optional<SettlementScope> SettlementQueue::next(const grasp::Identifier& identifier) {
  std::unique_lock lock(mutex_);
  if (stopping_) return std::nullopt;
  Family& family = families_.at(identifier);
  while (family.slices.empty() && std::exchange(family.again, false)) {
    lock.unlock();
    auto planned = plan_(identifier);
    lock.lock();
    std::ranges::move(planned, std::back_inserter(family.slices));
  }
  if (family.slices.empty()) {
    families_.erase(identifier);
    return std::nullopt;
  }
  auto slice = std::move(family.slices.front());
  family.slices.pop_front();
  return slice;
}

void SettlementQueue::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  workers_.stop();
}

std::size_t SettlementQueue::size() const {
  std::lock_guard lock(mutex_);
  return families_.size();
}

}  // namespace graspd::serve
