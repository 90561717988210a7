#include "gitio/missing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gitio/connectivity.h"
#include "gitio/repository.h"

namespace graspd::gitio {
namespace {

// By halves: where one is torn, about two walks for each time the number can be halved.
class TornSearch {
 public:
  using Found = core::Result<std::vector<git::Oid>, std::string>;

  TornSearch(const std::filesystem::path& repository, core::Duration deadline)
      : repository_(repository), deadline_(deadline) {}

  Found among(std::vector<git::Oid> tips) {
    if (walks_ == kWalksMax) return tips;
    if (!tips.empty()) ++walks_;
    const auto whole = is_connected(repository_, tips, deadline_);
    if (!whole) return core::Failure{whole.error()};
    if (*whole) return std::vector<git::Oid>{};
    if (tips.size() == 1) return tips;
    const auto middle = tips.begin() + static_cast<std::ptrdiff_t>(tips.size() / 2);
    auto torn = among({tips.begin(), middle});
    if (!torn) return torn;
    auto rest = among({middle, tips.end()});
    if (!rest) return rest;
    torn->insert(torn->end(), rest->begin(), rest->end());
    return torn;
  }

 private:
  static constexpr std::size_t kWalksMax = 64;

  const std::filesystem::path& repository_;
  const core::Duration deadline_;
  std::size_t walks_ = 0;
};

}  // namespace

core::Result<std::vector<git::Oid>, std::string> missing(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> oids) {
  const auto opened = Repository::open(repository);
  if (!opened) return core::Failure{opened.error()};
  return opened->missing(oids);
}

core::Result<std::vector<git::Oid>, std::string> lacking(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> oids,
                                                         core::Duration deadline) {
  auto absent = missing(repository, oids);
  if (!absent) return absent;
  std::set<git::Oid> present(oids.begin(), oids.end());
  for (const git::Oid& oid : *absent) present.erase(oid);
  auto lacking = TornSearch(repository, deadline).among({present.begin(), present.end()});
  if (!lacking) return lacking;
  lacking->insert(lacking->end(), absent->begin(), absent->end());
  std::ranges::sort(*lacking);
  return lacking;
}

}  // namespace graspd::gitio
