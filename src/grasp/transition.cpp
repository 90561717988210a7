#include "grasp/transition.h"

namespace graspd::grasp {
namespace {

template <class Kind>
constexpr bool kIsWritten = std::is_constructible_v<store::Change, Kind>;

}  // namespace

DropPullRefs DropPullRefs::of(const PullRequest& pull) {
  DropPullRefs drop{pull.id, pull.author, {}};
  for (const Coordinate& repository : pull.repositories) drop.in.insert(repository.identifier);
  return drop;
}

store::Changes Transition::take_writes() {
  store::Changes writes;
  std::vector<Change> later;
  for (Change& change : changes_)
    std::visit(
        [&]<class Kind>(Kind& one) {
          if constexpr (kIsWritten<Kind>)
            writes.emplace_back(std::move(one));
          else
            later.emplace_back(std::move(one));
        },
        change);
  changes_ = std::move(later);
  return writes;
}

}  // namespace graspd::grasp
