#include "serve/settlement_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::serve {

void SettlementQueue::post(const grasp::Identifier& identifier) {
  std::lock_guard lock(mutex_);
  enter(identifier).again = true;
}

void SettlementQueue::post(const grasp::Identifier& identifier,
                           std::vector<grasp::Coordinate> views) {
  if (views.empty()) return;
  std::lock_guard lock(mutex_);
  enter(identifier).views.insert(views.begin(), views.end());
}

void SettlementQueue::post(const grasp::Identifier& identifier, const nostr::PublicKey& author) {
  std::lock_guard lock(mutex_);
  enter(identifier).authors.insert(author);
}

void SettlementQueue::post(const grasp::Identifier& identifier, std::vector<PullScope> pulls) {
  if (pulls.empty()) return;
  std::lock_guard lock(mutex_);
  auto& slices = enter(identifier).pulls;
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
  while (family.slices.empty() && (family.again || !family.authors.empty())) {
    auto authors = std::exchange(family.authors, {});
    const bool is_all = std::exchange(family.again, false);
    if (is_all) family.views.clear();  // they are among all
    lock.unlock();
    auto planned = is_all ? plan_(identifier) : plan_for(identifier, std::move(authors));
    lock.lock();
    std::ranges::move(planned, std::back_inserter(family.slices));
  }
  if (family.slices.empty()) cut_views(family);
  if (family.slices.empty() && family.pulls.empty()) {
    families_.erase(identifier);
    return std::nullopt;
  }
  const bool takes_pulls =
      !family.pulls.empty() && (family.is_turn_of_pulls || family.slices.empty());
  family.is_turn_of_pulls = !takes_pulls;
  auto& from = takes_pulls ? family.pulls : family.slices;
  auto slice = std::move(from.front());
  from.pop_front();
  return slice;
}

std::deque<SettlementScope> SettlementQueue::plan_for(const grasp::Identifier& identifier,
                                                      std::set<nostr::PublicKey> authors) const {
  const auto ruled_by = std::make_shared<const std::set<nostr::PublicKey>>(std::move(authors));
  auto planned = plan_(identifier);
  std::erase_if(planned, [](const SettlementScope& slice) { return slice.views.empty(); });
  for (SettlementScope& slice : planned) slice.ruled_by = ruled_by;
  return planned;
}

void SettlementQueue::cut_views(Family& family) {
  const auto unheld = std::make_shared<std::set<nostr::EventId>>();
  for (const grasp::Coordinate& view : std::exchange(family.views, {})) {
    if (family.slices.empty() || family.slices.back().views.size() >= kViewsPerSlice)
      family.slices.push_back({.views = {}, .pulls = {}, .patient = true, .unheld = unheld});
    family.slices.back().views.push_back(view);
  }
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
