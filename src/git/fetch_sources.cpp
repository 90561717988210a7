#include "git/fetch_sources.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graspd::git::fetch {
namespace {

class Selection {
 public:
  explicit Selection(std::size_t sources_max) : sources_max_(sources_max) {}

  void add(const Source& source, const EventKey& event) {
    const auto at = places_.find(source.url);
    if (at == places_.end()) {
      if (ranked_.size() >= sources_max_) return;
      places_.emplace(source.url, ranked_.size());
      ranked_.push_back({source, {event}});
      return;
    }
    RankedSource& known = ranked_[at->second];
    known.source.is_grasp |= source.is_grasp;
    if (known.events.back() != event) known.events.push_back(event);
  }
  std::vector<RankedSource> take() { return std::move(ranked_); }

 private:
  std::size_t sources_max_;
  std::vector<RankedSource> ranked_;
  std::map<FetchUrl, std::size_t> places_;
};

}  // namespace

std::vector<RankedSource> rank(const std::vector<NamedSources>& named, const Domains& domains,
                               std::size_t sources_max, std::size_t first_event) {
  std::size_t longest = 0;
  for (const NamedSources& one : named) longest = std::max(longest, one.sources.size());
  Selection selection(sources_max);
  for (std::size_t turn = 0; turn < longest; ++turn)
    for (std::size_t i = 0; i < named.size(); ++i) {
      const NamedSources& one = named[(first_event + i) % named.size()];
      if (turn < one.sources.size()) selection.add(one.sources[turn], one.event);
    }
  auto ranked = selection.take();
  std::ranges::stable_sort(ranked, {}, [&](const RankedSource& ranked_source) {
    const Source& source = ranked_source.source;
    return std::tuple(!source.is_grasp, domains.standing(source.url));
  });
  return ranked;
}

}  // namespace graspd::git::fetch
