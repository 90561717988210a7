// Whether a fetch asks for trees by depth (`filter tree:N`), and how deep.
//
// git has `uploadpackfilter.tree.maxTreeDepth` for this, but git 2.39 does not keep to it. So tree
// filters are off (git_config.h), and on for a request that is seen to ask for a small depth. A
// request that hides its filter behind the part we look at finds them off.
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
