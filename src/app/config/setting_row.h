// Rows of the setting table by the kind of value they hold. Only for setting_*.cpp.
#pragma once
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/config/setting_table.h"

// The place a row reads and writes, for both const and mutable settings.
// NOLINTNEXTLINE(bugprone-macro-parentheses): the path to a member takes none
#define FIELD(path) [](auto& settings) -> auto& { return settings.path; }

namespace graspd::app::row {

template <class T, class Store>
Verdict take(Parsed<T> parsed, Store store) {
  if (!parsed) return std::move(parsed).error();
  store(*std::move(parsed));
  return std::nullopt;
}

template <class Field>
Setting number(std::string_view name, Group group, std::string_view help, Field field,
               std::uint64_t min = 0,
               std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
  using Number = std::remove_reference_t<decltype(field(std::declval<Settings&>()))>;
  const auto parse = [=](Settings& settings, std::string_view text) {
    const std::uint64_t largest = std::numeric_limits<Number>::max();
    return take(parse_number(text, min, std::min(max, largest)),
                [&](std::uint64_t value) { field(settings) = static_cast<Number>(value); });
  };
  const auto print = [=](const Settings& settings) { return std::to_string(field(settings)); };
  return {name, group, "number", help, parse, print};
}

// So many bytes, with or without a unit.
template <class Field>
Setting size(std::string_view name, Group group, std::string_view help, Field field,
             std::uint64_t min = 0) {
  using Number = std::remove_reference_t<decltype(field(std::declval<Settings&>()))>;
  const auto parse = [=](Settings& settings, std::string_view text) {
    return take(parse_size(text, min, std::numeric_limits<Number>::max()),
                [&](std::uint64_t value) { field(settings) = static_cast<Number>(value); });
  };
  const auto print = [=](const Settings& settings) { return size_text(field(settings)); };
  return {name, group, "size", help, parse, print};
}

// A setting that most operators need: --help shows it.
inline Setting common(Setting setting) {
  setting.is_common = true;
  return setting;
}

enum class Zero { MeansNever, MeansAtOnce };

// Modules keep a time as a duration or as whole seconds.
inline core::Duration kept(core::Duration time) { return time; }
inline core::Duration kept(core::UnixSeconds time) { return std::chrono::seconds(time); }
inline void keep(core::Duration& field, core::Duration time) { field = time; }
inline void keep(core::UnixSeconds& field, core::Duration time) {
  field = std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// So many of a unit. More than kNever is kNever.
template <class Unit, class Field>
Setting time(std::string_view name, Group group, std::string_view type, std::string_view help,
             Field field, Zero zero, std::uint64_t min, std::uint64_t max) {
  const auto parse = [=](Settings& settings, std::string_view text) {
    return take(parse_number(text, min, max), [&](std::uint64_t value) {
      const auto most = std::chrono::duration_cast<Unit>(kNever).count();
      const bool never = value == 0 && zero == Zero::MeansNever;
      keep(field(settings),
           never ? kNever : Unit(std::min(value, static_cast<std::uint64_t>(most))));
    });
  };
  const auto print = [=](const Settings& settings) {
    const core::Duration time = kept(field(settings));
    if (time == kNever && zero == Zero::MeansNever) return std::string("0");
    return std::to_string(std::chrono::duration_cast<Unit>(time).count());
  };
  return {name, group, type, help, parse, print};
}

template <class Field>
Setting seconds(std::string_view name, Group group, std::string_view help, Field field,
                Zero zero = Zero::MeansNever) {
  constexpr std::uint64_t kYear = 366ULL * 24 * 3600;
  return time<std::chrono::seconds>(name, group, "seconds", help, field, zero, 0, kYear);
}

// `on`: what the field is when the setting is true.
template <class Field>
Setting boolean(std::string_view name, Group group, std::string_view help, Field field,
                bool on = true) {
  const auto parse = [=](Settings& settings, std::string_view text) {
    return take(parse_bool(text), [&](bool value) { field(settings) = value == on; });
  };
  const auto print = [=](const Settings& settings) -> std::string {
    return field(settings) == on ? "true" : "false";
  };
  return {name, group, "true|false", help, parse, print};
}

template <class Field>
Setting words(std::string_view name, Group group, std::string_view type, std::string_view help,
              Field field, std::string_view default_text = {}) {
  const auto parse = [=](Settings& settings, std::string_view text) -> Verdict {
    field(settings) = text;
    return std::nullopt;
  };
  const auto print = [=](const Settings& settings) { return field(settings); };
  return {name, group, type, help, parse, print, default_text};
}

// One of a few words; `type` lists them as "a|b" in the order of the enumerators.
template <class Field>
Setting choice(std::string_view name, Group group, std::string_view type, std::string_view help,
               Field field) {
  using Enum = std::remove_reference_t<decltype(field(std::declval<Settings&>()))>;
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= type.size();) {
    const auto bar = std::min(type.find('|', start), type.size());
    names.emplace_back(type.substr(start, bar - start));
    start = bar + 1;
  }
  const auto parse = [=](Settings& settings, std::string_view text) -> Verdict {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      return Complaint{"is not one of the choices",
                       fmt::format("write {}", fmt::join(names, " or "))};
    }
    field(settings) = static_cast<Enum>(found - names.begin());
    return std::nullopt;
  };
  const auto print = [=](const Settings& settings) {
    return names.at(static_cast<std::size_t>(field(settings)));
  };
  return {name, group, type, help, parse, print};
}

}  // namespace graspd::app::row
