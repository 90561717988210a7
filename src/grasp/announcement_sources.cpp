#include "grasp/announcement_sources.h"

namespace graspd::grasp {

void AnnouncementSources::put(const Coordinate& key, const std::string& source) {
  const auto [at, is_new] = places_.try_emplace(key, Place{source, next_});
  if (!is_new) return;
  const std::size_t before = count(source);
  by_source_[source].emplace(next_++, key);
  recount(source, before);
}

void AnnouncementSources::erase(const Coordinate& key) {
  const auto place = places_.extract(key);
  if (place.empty()) return;
  const auto& [source, number] = place.mapped();
  const std::size_t before = count(source);
  by_source_.at(source).erase(number);
  recount(source, before);
}

void AnnouncementSources::recount(const std::string& source, std::size_t before) {
  const std::size_t now = count(source);
  if (now == 0) by_source_.erase(source);
  if (source.empty()) return;
  by_count_.erase({before, source});
  if (now > 0) by_count_.emplace(now, source);
}

std::size_t AnnouncementSources::count(const std::string& source) const {
  const auto at = by_source_.find(source);
  return at == by_source_.end() ? 0 : at->second.size();
}

std::optional<Coordinate> AnnouncementSources::next_to_go(const std::string& source) const {
  if (by_count_.empty()) return std::nullopt;
  const auto& [most, who] = *by_count_.rbegin();
  if (!source.empty() && most <= count(source) + 1) return std::nullopt;
  return by_source_.at(who).begin()->second;
}

}  // namespace graspd::grasp
