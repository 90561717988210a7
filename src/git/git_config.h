// The configuration of every git process of ours that differs from git's defaults, as data.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace graspd::git {

struct ConfigPair {
  std::string_view key;
  std::string_view value;
};

std::span<const ConfigPair> config_table();

// Faults in objects that are let pass although git's check finds them. The first three are what
// large hosts ignore; the others spoil the history of well-known projects (GNU Emacs, FreeSWITCH,
// Werkzeug, Dropwizard), whose commits cannot be rewritten any more. All are oddities in how a
// person, a date or a file mode is written. What can fool a reader stays an error: duplicate or
// unsorted tree entries, `.git` and `..` as names, hostile .gitmodules, missing headers.
std::span<const std::string_view> tolerated_faults();

}  // namespace graspd::git
