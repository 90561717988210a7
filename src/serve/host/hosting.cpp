#include "serve/host/hosting.h"

#include "core/log.h"
#include "gitio/repository.h"
#include "serve/host/stored_events.h"

namespace graspd::serve {

bool Hosting::has_repository(const grasp::Coordinate& repo) const {
  std::error_code ignored;
  return std::filesystem::exists(path(repo) / "HEAD", ignored);
}

std::filesystem::path Hosting::shown(const grasp::Coordinate& repo) const {
  return has_repository(repo) ? path(repo) : gitio::Repository::stand_in(options.root);
}

core::Result<core::Done, std::string> Hosting::make_repository(const grasp::Coordinate& repo) {
  if (has_repository(repo)) return core::Done{};
  if (!known()->is_open(repo))
    return core::Failure{std::string("the repository is not open any more")};
  return gitio::Repository::create(path(repo), options.unborn_branch);
}

void Hosting::restore_folder(const grasp::Coordinate& repo) {
  const auto guard = repos.lock(key(repo));
  const auto made = make_repository(repo);
  if (!made) core::log::error("cannot make the repository {}: {}", key(repo), made.error());
}

// The reader comes first: what was released since then is in the store.
std::optional<grasp::RepoState> Hosting::find_state(const nostr::EventId& id,
                                                    const grasp::Identifier& identifier) const {
  const auto reader = known();
  for (const grasp::HeldState* held : reader->purgatory().states().of(identifier))
    if (held->state.id == id) return held->state;
  return stored_state(store, id);
}

std::optional<grasp::PullRequest> Hosting::find_pull(const nostr::EventId& id) const {
  const auto reader = known();
  if (const grasp::HeldPull* held = reader->purgatory().pull(id)) return held->pull;
  return stored_pull(store, id);
}

bool Hosting::is_stored(const nostr::EventId& id) const {
  const auto here = store.snapshot();
  return here && (*here)->contains(id);
}

}  // namespace graspd::serve
