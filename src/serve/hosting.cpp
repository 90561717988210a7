#include "serve/hosting.h"

#include <future>

#include "core/log.h"
#include "gitio/repository.h"

namespace graspd::serve {

bool Hosting::has_repository(const grasp::Coordinate& view) const {
  std::error_code ignored;
  return std::filesystem::exists(path(view) / "HEAD", ignored);
}

bool Hosting::make_repository(const grasp::Coordinate& view) {
  if (has_repository(view)) return true;
  const auto guard = views.lock(key(view));
  const auto made = gitio::Repository::create(path(view), options.unborn_branch);
  if (!made) core::log::error("cannot make the repository {}: {}", key(view), made.error());
  return static_cast<bool>(made);
}

std::optional<std::vector<store::Written>> Hosting::admit(std::vector<nostr::WireEventPtr> events,
                                                          relay::Effects effects) {
  using Fates = std::optional<std::vector<store::Written>>;
  auto written = std::make_shared<std::promise<Fates>>();
  auto result = written->get_future();
  ingest->admit({std::move(events), std::move(effects),
                 [written](std::span<const store::Written> fates, bool durable) {
                   written->set_value(durable ? Fates({fates.begin(), fates.end()}) : Fates());
                 }});
  return result.get();
}

}  // namespace graspd::serve
