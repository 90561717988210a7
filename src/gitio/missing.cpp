#include "gitio/missing.h"

#include <utility>

#include "gitio/connectivity.h"
#include "gitio/repository.h"

namespace graspd::gitio {

core::Result<std::vector<git::Oid>, std::string> missing(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> oids) {
  const auto opened = Repository::open(repository);
  if (!opened) return core::Failure{opened.error()};
  return opened->missing(oids);
}

core::Result<Lacking, std::string> lacking(const std::filesystem::path& repository,
                                           std::span<const git::Oid> oids,
                                           core::Duration deadline) {
  auto absent = missing(repository, oids);
  if (!absent) return core::Failure{std::move(absent).error()};
  if (!absent->empty()) return Lacking{.objects = *std::move(absent)};
  const auto whole = is_connected(repository, {oids.begin(), oids.end()}, deadline);
  if (!whole) return core::Failure{whole.error()};
  return Lacking{.torn = !*whole};
}

}  // namespace graspd::gitio
