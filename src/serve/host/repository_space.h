// What a repository may take on disk where there is a quota, and who may take it.
//
//   R1  The quota is the owner's: what branches, tags and the pull requests of people with a say
//       reach. Nothing that strangers leave there takes any of it away.
//   R2  Pull requests of strangers have a share of the quota, as far as the rest leaves it free:
//       what else lies in the repository, be it garbage, counts as theirs. When it is taken, more
//       are refused; maintainers make space by closing some (grasp/pull_selection.h).
//   R3  When the repository is beyond its quota, because its own people needed the space, pull
//       requests of strangers lose their refs, the oldest first, until the rest fits; then what no
//       ref reaches goes.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "grasp/coordinate.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

class RepositorySpace {
 public:
  RepositorySpace(Hosting& hosting, grasp::Coordinate repo);

  // Nothing: any amount. These block while git measures.
  std::optional<std::uint64_t> left_for_members() const;
  std::optional<std::uint64_t> left_for_strangers() const;
  std::uint64_t share() const;  // R2

  // R3. With all locks of the repository. False: it is still beyond its quota.
  bool make_space();

 private:
  std::uint64_t quota() const { return hosting_.options.repository_bytes_max; }
  std::uint64_t total() const;
  std::uint64_t own(std::uint64_t total) const;
  std::optional<std::uint64_t> measure_own() const;
  std::optional<std::uint64_t> measure_all() const;

  Hosting& hosting_;
  const grasp::Coordinate repo_;
};

}  // namespace graspd::serve
