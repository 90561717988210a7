#include "git/tree_filter.h"

#include <string>
#include <variant>

#include "git/pkt_line.h"

namespace graspd::git {
namespace {

// git reads a number in many ways (0x2, 1k); we know one.
bool is_small(std::string_view depth) {
  return depth.size() == 1 && depth.front() >= '0' &&
         depth.front() <= static_cast<char>('0' + kTreeDepthMax);
}

}  // namespace

TreeFilter tree_filter_of(std::string_view request) {
  constexpr std::string_view kFilter = "filter tree:";
  PktReader packets;
  packets.feed(request);
  for (;;) {
    const auto next = packets.next();
    const Pkt* packet = std::get_if<Pkt>(&next);
    if (!packet) return TreeFilter::None;
    std::string_view line = packet->payload;
    if (!line.starts_with(kFilter)) continue;
    line.remove_prefix(kFilter.size());
    if (line.ends_with('\n')) line.remove_suffix(1);
    return is_small(line) ? TreeFilter::Allowed : TreeFilter::TooDeep;
  }
}

}  // namespace graspd::git
