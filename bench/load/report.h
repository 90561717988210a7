// What was found: a row for people as soon as it is known, a JSON line for programs at the end.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::load {

struct Goal {
  enum class Sense { None, AtLeast, AtMost };
  Sense sense = Sense::None;
  double value = 0;

  bool is_met_by(double reading) const;
};
inline constexpr Goal kNoGoal{};
constexpr Goal at_least(double value) { return {Goal::Sense::AtLeast, value}; }
constexpr Goal at_most(double value) { return {Goal::Sense::AtMost, value}; }

class Report {
 public:
  void begin(std::string_view scenario);
  void figure(std::string_view name, double value, std::string_view unit, Goal goal = kNoGoal);
  void print_json() const;

 private:
  std::string scenario_;
  std::vector<std::string> json_lines_;
};

}  // namespace graspd::load
