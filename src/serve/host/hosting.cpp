#include "serve/host/hosting.h"

#include <future>

#include "core/log.h"
#include "gitio/repository.h"

namespace graspd::serve {

bool Hosting::has_repository(const grasp::Coordinate& view) const {
  std::error_code ignored;
  return std::filesystem::exists(path(view) / "HEAD", ignored);
}

std::filesystem::path Hosting::shown(const grasp::Coordinate& view) const {
  return has_repository(view) ? path(view) : gitio::Repository::stand_in(options.root);
}

core::Result<core::Done, std::string> Hosting::make_repository(const grasp::Coordinate& view) {
  if (has_repository(view)) return core::Done{};
  if (!ask([&](const grasp::Policy& asked) { return asked.is_open(view); }))
    return core::Failure{std::string("the repository is not open any more")};
  return gitio::Repository::create(path(view), options.unborn_branch);
}

void Hosting::restore_folder(const grasp::Coordinate& view) {
  const auto guard = views.lock(key(view));
  const auto made = make_repository(view);
  if (!made) core::log::error("cannot make the repository {}: {}", key(view), made.error());
}

std::optional<std::vector<store::Written>> Hosting::admit(std::vector<nostr::WireEventPtr> events,
                                                          store::Changes changes) {
  using Fates = std::optional<std::vector<store::Written>>;
  auto written = std::make_shared<std::promise<Fates>>();
  auto result = written->get_future();
  ingest->admit({std::move(events), std::move(changes),
                 [written](std::span<const store::Written> fates, bool durable) {
                   written->set_value(durable ? Fates({fates.begin(), fates.end()}) : Fates());
                 }});
  return result.get();
}

}  // namespace graspd::serve
