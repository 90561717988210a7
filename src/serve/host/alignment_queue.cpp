#include "serve/host/alignment_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::serve {

void AlignmentQueue::post(const grasp::Identifier& identifier) {
  std::lock_guard lock(mutex_);
  enter(identifier).again = true;
}

void AlignmentQueue::post(const grasp::Identifier& identifier, std::vector<PullScope> pulls) {
  if (pulls.empty()) return;
  std::lock_guard lock(mutex_);
  auto& slices = enter(identifier).slices;
  for (PullScope& pull : pulls)
    slices.push_back({.views = {}, .pulls = {std::move(pull)}, .patient = true});
}

AlignmentQueue::IdentifierGroup& AlignmentQueue::enter(const grasp::Identifier& identifier) {
  const auto [at, is_new] = groups_.try_emplace(identifier);
  if (is_new) workers_.post([this, identifier] { step(identifier); });
  return at->second;
}

void AlignmentQueue::step(const grasp::Identifier& identifier) {
  auto slice = next(identifier);
  if (!slice) return;
  align_(identifier, *std::move(slice));
  workers_.post([this, identifier] { step(identifier); });
}

std::optional<AlignmentScope> AlignmentQueue::next(const grasp::Identifier& identifier) {
  std::unique_lock lock(mutex_);
  if (stopping_) return std::nullopt;
  IdentifierGroup& group = groups_.at(identifier);
  while (group.slices.empty() && std::exchange(group.again, false)) {
    lock.unlock();
    auto planned = plan_(identifier);
    lock.lock();
    std::ranges::move(planned, std::back_inserter(group.slices));
  }
  if (group.slices.empty()) {
    groups_.erase(identifier);
    return std::nullopt;
  }
  auto slice = std::move(group.slices.front());
  group.slices.pop_front();
  return slice;
}

void AlignmentQueue::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  workers_.stop();
}

std::size_t AlignmentQueue::size() const {
  std::lock_guard lock(mutex_);
  return groups_.size();
}

}  // namespace graspd::serve
