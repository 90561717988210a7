#include "serve/host/hosting.h"

#include "core/log.h"
#include "gitio/repository.h"
#include "serve/host/stored_events.h"

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
  if (!known()->is_open(view))
    return core::Failure{std::string("the repository is not open any more")};
  return gitio::Repository::create(path(view), options.unborn_branch);
}

void Hosting::restore_folder(const grasp::Coordinate& view) {
  const auto guard = views.lock(key(view));
  const auto made = make_repository(view);
  if (!made) core::log::error("cannot make the repository {}: {}", key(view), made.error());
}

std::optional<grasp::RepoState> Hosting::find_state(const nostr::EventId& id,
                                                    const grasp::Identifier& identifier) const {
  {
    const auto here = known();
    for (const grasp::HeldState* held : here->purgatory().states(identifier))
      if (held->state.id == id) return held->state;
  }
  return stored_state(store, id);
}

std::optional<grasp::PullRequest> Hosting::find_pull(const nostr::EventId& id) const {
  {
    const auto here = known();
    if (const grasp::HeldPull* held = here->purgatory().pull(id)) return held->pull;
  }
  return stored_pull(store, id);
}

bool Hosting::is_stored(const nostr::EventId& id) const {
  const auto here = store.snapshot();
  return here && (*here)->contains(id);
}

}  // namespace graspd::serve
