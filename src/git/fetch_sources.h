// The order in which sources of the data are asked.
//
//   R1  GRASP servers first, then others; of each the best record first; then in announced order.
//   R2  If more are named than a pass may ask, every event gets its share of them in turn, and
//       another event begins next time: one that names a hundred does not crowd out the rest.
//   R3  A source is asked only for what the events that name it want: the author of a pull request
//       cannot make us fetch the maintainers' branches from his server.
#pragma once
#include <vector>

#include "git/fetch_domains.h"
#include "git/fetch_messages.h"

namespace graspd::git::fetch {

struct NamedSources {
  EventKey event;
  std::vector<Source> sources;
};
struct RankedSource {
  Source source;
  std::vector<EventKey> events;  // that name it
};

std::vector<RankedSource> rank(const std::vector<NamedSources>& named, const Domains& domains,
                               std::size_t sources_max, std::size_t first_event);

}  // namespace graspd::git::fetch
