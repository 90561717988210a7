// Short ways to write oids, refs and commands in tests.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>

#include "git/push_request.h"

namespace graspd::git {

// oid('a') is aaaa...; oid('0') is no object.
inline Oid oid(char digit) { return *Oid::parse(std::string(2 * Oid::kSize, digit)); }

inline RefName named(std::string_view text) { return *RefName::parse(text); }

inline Refs refs(std::initializer_list<std::pair<std::string_view, char>> rows) {
  Refs made;
  for (const auto& [name, digit] : rows) made.emplace(named(name), oid(digit));
  return made;
}

inline Command command(char old_digit, char new_digit, std::string_view name) {
  return {oid(old_digit), oid(new_digit), named(name)};
}

}  // namespace graspd::git
