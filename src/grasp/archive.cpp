#include "grasp/archive.h"

#include <algorithm>
#include <fmt/format.h>

namespace graspd::grasp {

bool Archive::wants(const Announcement& announcement) const {
  if (all || whitelist.matches(announcement.coordinate)) return true;
  return std::ranges::any_of(announcement.clone, [this](const std::string& url) {
    return std::ranges::any_of(services,
                               [&](const Service& service) { return names_service(url, service); });
  });
}

std::string Archive::text() const {
  std::string text = fmt::format("{} {}\n{}", all, read_only, whitelist.text());
  for (const Service& service : services)
    text += fmt::format("\n{}:{}", service.host, service.port.value_or(0));
  return text;
}

}  // namespace graspd::grasp
