// Pull requests that are served: whether a repository has their refs and their commits.
#pragma once
#include <vector>

#include "serve/host/hosting.h"

namespace graspd::serve {

class ServedPulls {
 public:
  using Pulls = std::vector<grasp::PullRequest>;

  explicit ServedPulls(Hosting& hosting) : hosting_(hosting) {}

  // Those that are to have refs in the repository.
  Pulls of(const grasp::Coordinate& coordinate) const;
  // Those of them whose refs are not where they belong.
  Pulls astray(const grasp::Coordinate& coordinate, Pulls pulls) const;
  // The commits that are gone come first: not all may be asked for at once.
  Pulls lost_first(const grasp::Coordinate& coordinate, Pulls pulls) const;

 private:
  Pulls wanted(const grasp::Coordinate& coordinate, Pulls pulls) const;

  Hosting& hosting_;
};

}  // namespace graspd::serve
