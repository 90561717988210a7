#include "serve/host/alignment_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graspd::serve {

void AlignmentQueue::post(const grasp::Identifier& identifier) {
  std::lock_guard lock(mutex_);
  enter(identifier).again = true;
}

void AlignmentQueue::post(const grasp::Identifier& identifier,
                          std::vector<grasp::Coordinate> repos) {
  if (repos.empty()) return;
  std::lock_guard lock(mutex_);
  enter(identifier).repos.insert(repos.begin(), repos.end());
}

void AlignmentQueue::post(const grasp::Identifier& identifier, const nostr::PublicKey& author) {
  std::lock_guard lock(mutex_);
  enter(identifier).authors.insert(author);
}

void AlignmentQueue::post(const grasp::Identifier& identifier, std::vector<PullScope> pulls) {
  if (pulls.empty()) return;
  std::lock_guard lock(mutex_);
  auto& slices = enter(identifier).pulls;
  for (PullScope& pull : pulls)
    slices.push_back({.repos = {}, .pulls = {std::move(pull)}, .patient = true});
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
  while (group.slices.empty() && (group.again || !group.authors.empty())) {
    auto authors = std::exchange(group.authors, {});
    const bool is_all = std::exchange(group.again, false);
    if (is_all) group.repos.clear();  // they are among all
    lock.unlock();
    auto planned = is_all ? plan_(identifier) : plan_for(identifier, std::move(authors));
    lock.lock();
    std::ranges::move(planned, std::back_inserter(group.slices));
  }
  if (group.slices.empty()) cut_repos(group);
  if (group.slices.empty() && group.pulls.empty()) {
    groups_.erase(identifier);
    return std::nullopt;
  }
  const bool takes_pulls = !group.pulls.empty() && (group.is_turn_of_pulls || group.slices.empty());
  group.is_turn_of_pulls = !takes_pulls;
  auto& from = takes_pulls ? group.pulls : group.slices;
  auto slice = std::move(from.front());
  from.pop_front();
  return slice;
}

std::deque<AlignmentScope> AlignmentQueue::plan_for(const grasp::Identifier& identifier,
                                                    std::set<nostr::PublicKey> authors) const {
  const auto ruled_by = std::make_shared<const std::set<nostr::PublicKey>>(std::move(authors));
  auto planned = plan_(identifier);
  std::erase_if(planned, [](const AlignmentScope& slice) { return slice.repos.empty(); });
  for (AlignmentScope& slice : planned) slice.ruled_by = ruled_by;
  return planned;
}

void AlignmentQueue::cut_repos(IdentifierGroup& group) {
  const auto unheld = std::make_shared<std::set<nostr::EventId>>();
  for (const grasp::Coordinate& repo : std::exchange(group.repos, {})) {
    if (group.slices.empty() || group.slices.back().repos.size() >= kReposPerSlice)
      group.slices.push_back({.repos = {}, .pulls = {}, .patient = true, .unheld = unheld});
    group.slices.back().repos.push_back(repo);
  }
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
