// Whether a fetch requests trees by depth (`filter tree:N`), and how deep.
//
// git has `uploadpackfilter.tree.maxTreeDepth` for this, but git 2.39 does not enforce it. So tree
// filters are off (git_config.h), and turned on for a request that visibly asks for a small depth.
// If a request hides its filter behind the part we examine, the filters are off.
#pragma once
#include <cstdint>
#include <string_view>

namespace graspd::git {

// Trees are looked at anew at each depth they are found at. Clients ask for 0, or 1 and 2 to show
// the top of a project.
constexpr unsigned kTreeDepthMax = 2;

enum class TreeFilter : std::uint8_t { None, Allowed, TooDeep };

// `request`: the beginning of what upload-pack is sent.
TreeFilter tree_filter_of(std::string_view request);

}  // namespace graspd::git
