#include "grasp/announcement_sources.h"

namespace graspd::grasp {

void AnnouncementSources::put(const Coordinate& key, const std::string& source) {
  if (!places_.insert(key, Place{source, next_})) return;
  const std::size_t before = count(source);
  by_source_[source].insert_or_assign(next_++, key);
  recount(source, before);
}

void AnnouncementSources::erase(const Coordinate& key) {
  const auto place = places_.take(key);
  if (!place) return;
  const auto& [source, number] = *place;
  const std::size_t before = count(source);
  by_source_[source].erase(number);
  recount(source, before);
}

void AnnouncementSources::recount(const std::string& source, std::size_t before) {
  const std::size_t now = count(source);
  if (now == 0) by_source_.erase(source);
  if (source.empty()) return;
  by_count_.erase(std::pair(before, source));
  if (now > 0) by_count_.insert({now, source});
}

std::size_t AnnouncementSources::count(const std::string& source) const {
  const auto* places = by_source_.find(source);
  return places ? places->size() : 0;
}

std::optional<Coordinate> AnnouncementSources::next_to_go(const std::string& source) const {
  if (by_count_.empty()) return std::nullopt;
  const auto& [most, who] = *by_count_.rbegin();
  if (!source.empty() && most <= count(source) + 1) return std::nullopt;
  return by_source_.at(who).begin()->second;
}

}  // namespace graspd::grasp
