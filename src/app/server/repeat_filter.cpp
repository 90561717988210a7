#include "app/server/repeat_filter.h"

#include <fmt/format.h>
#include <functional>
#include <utility>

#include "core/counted.h"

namespace graspd::app {

std::vector<RepeatFilter::Line> RepeatFilter::pass(core::Instant now, core::log::Level level,
                                                   std::string_view text) {
  std::vector<Line> lines;
  while (!by_age_.empty() && by_age_.front()->second.until <= now) forget_oldest(lines);
  if (const auto again = seen_.find(text); again != seen_.end()) {  // R1
    ++again->second.held_back;
    return lines;
  }
  if (by_age_.size() >= kRemembered) forget_oldest(lines);  // R3
  by_age_.push_back(seen_.emplace(text, Seen{now + kWindow, level}).first);
  lines.push_back({level, std::string(text)});
  return lines;
}

std::vector<RepeatFilter::Line> RepeatFilter::flush() {
  std::vector<Line> lines;
  while (!by_age_.empty()) forget_oldest(lines);
  return lines;
}

void RepeatFilter::forget_oldest(std::vector<Line>& reports) {
  const auto oldest = by_age_.front();
  by_age_.pop_front();
  const auto& [text, seen] = *oldest;
  if (seen.held_back > 0) {  // R2
    reports.push_back(
        {seen.level, fmt::format("{}: {}", core::counted(seen.held_back, "more time"), text)});
  }
  seen_.erase(oldest);
}

}  // namespace graspd::app
