#include "grasp/waiting_announcements.h"

namespace graspd::grasp {

std::vector<Coordinate> WaitingAnnouncements::keys() const {
  std::vector<Coordinate> keys;
  keys.reserve(shelf_.size());
  for (const auto& [key, held] : shelf_.entries()) keys.push_back(key);
  return keys;
}

WaitingAnnouncements::Place WaitingAnnouncements::place_for(
    const Coordinate& key, const std::string& source, bool synced,
    const WaitingAnnouncementLimits& limits) const {
  if (find(key)) return Place::Yes;
  const std::size_t of_source =
      synced ? limits.announcements_per_relay_max : limits.announcements_per_address_max;
  if (!source.empty() && of_source > 0 && sources_.count(source) >= of_source)
    return Place::SourceFull;
  const std::size_t all = limits.announcements_max;
  return all > 0 && sources_.size() >= all ? Place::Full : Place::Yes;
}

void WaitingAnnouncements::put(const Coordinate& key, Held held) {
  if (const Held* before = find(key)) held.source = before->source;
  sources_.put(key, held.source);
  shelf_.put(key, std::move(held));
}

void WaitingAnnouncements::erase(const Coordinate& key) {
  sources_.erase(key);
  shelf_.erase(key);
}

}  // namespace graspd::grasp
