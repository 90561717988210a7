#include "serve/host/pull_batches.h"

#include <algorithm>
#include <utility>

namespace graspd::serve {

void PullBatches::add(Item item) {
  if (item.identifiers.empty()) return item.done();
  std::lock_guard lock(mutex_);
  enter(std::move(item));
}

void PullBatches::enter(Item item) {
  const grasp::Identifier identifier = item.identifiers.front();
  const auto [at, is_new] = waiting_.try_emplace(identifier);
  at->second.push_back(std::move(item));
  if (is_new) workers_.post([this, identifier] { step(identifier); });  // R1
}

std::vector<PullBatches::Item> PullBatches::take(const grasp::Identifier& identifier) {
  std::lock_guard lock(mutex_);
  auto& all = waiting_.at(identifier);
  std::vector<Item> some;
  while (!all.empty() && some.size() < kAtOnce && !stopping_) {
    some.push_back(std::move(all.front()));
    all.pop_front();
  }
  if (some.empty()) waiting_.erase(identifier);
  return some;
}

void PullBatches::step(const grasp::Identifier& identifier) {
  auto batch = take(identifier);
  if (batch.empty()) return;
  std::vector<nostr::EventId> pulls;
  pulls.reserve(batch.size());
  for (const Item& item : batch) pulls.push_back(item.id);
  align_(identifier, pulls);
  for (Item& item : batch) {
    item.identifiers.pop_front();
    add(std::move(item));  // R4
  }
  workers_.post([this, identifier] { step(identifier); });  // R3
}

void PullBatches::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  workers_.stop();
  std::lock_guard lock(mutex_);
  waiting_.clear();
}

std::size_t PullBatches::size() const {
  std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace graspd::serve
