#include "load/report.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace graspd::load {
namespace {

// Three digits say all that such a measurement knows.
std::string readable(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.2f} M", value / 1e6);
  if (size >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

std::string describe(Goal goal, double value) {
  if (goal.sense == Goal::Sense::None) return {};
  const char* sign = goal.sense == Goal::Sense::AtLeast ? "≥" : "≤";
  return fmt::format("{} {}  {}", sign, readable(goal.value),
                     goal.is_met_by(value) ? "met" : "MISSED");
}

}  // namespace

bool Goal::is_met_by(double reading) const {
  switch (sense) {
    case Sense::None:
      return true;
    case Sense::AtLeast:
      return reading >= value;
    case Sense::AtMost:
      return reading <= value;
  }
  return false;
}

void Report::begin(std::string_view scenario) {
  scenario_ = scenario;
  fmt::print("\n{}\n", scenario);
}

void Report::figure(std::string_view name, double value, std::string_view unit, Goal goal) {
  fmt::print("  {:<52} {:>10} {:<14} {}\n", name, readable(value), unit, describe(goal, value));
  std::fflush(stdout);
  const char* met = goal.sense == Goal::Sense::None ? "null"
                    : goal.is_met_by(value)         ? "true"
                                                    : "false";
  json_lines_.push_back(
      fmt::format(R"({{"scenario":"{}","figure":"{}","value":{:.6g},"unit":"{}","met":{}}})",
                  scenario_, name, value, unit, met));
}

void Report::print_json() const {
  fmt::print("\n");
  for (const std::string& line : json_lines_) fmt::print("{}\n", line);
}

}  // namespace graspd::load
