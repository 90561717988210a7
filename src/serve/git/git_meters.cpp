#include "serve/git/git_meters.h"

#include <algorithm>

namespace graspd::serve {
namespace {

constexpr std::size_t kRepositoriesMax = 10'000;

}  // namespace

void GitMeters::sent(const std::string& repository, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  by_repository_[repository] += bytes;
  if (by_repository_.size() <= kRepositoriesMax) return;
  std::vector<std::uint64_t> all;
  all.reserve(by_repository_.size());
  for (const auto& [name, count] : by_repository_) all.push_back(count);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  std::erase_if(by_repository_, [&](const auto& entry) { return entry.second <= *middle; });
}

std::vector<std::pair<std::string, std::uint64_t>> GitMeters::busiest(std::size_t count) const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::uint64_t>> all(by_repository_.begin(),
                                                         by_repository_.end());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::ranges::partial_sort(all, end, std::greater(),
                            [](const auto& entry) { return entry.second; });
  all.erase(end, all.end());
  return all;
}

}  // namespace graspd::serve
