// What becomes of the folders of repositories when nobody waits for it.
#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/removal.h"
#include "net/clock.h"
#include "nostr/nip19.h"
#include "serve/host/grasp_host.h"
#include "serve/host/repository_space.h"
#include "serve/runtime/random.h"

namespace graspd::serve {

using grasp::Coordinate;

namespace {

// What refs of pull requests left behind. Objects that were moved in have their refs set long
// before. Anybody can leave some: to rewrite all of a large repository for it once a day is enough.
constexpr core::Duration kPruneGrace = std::chrono::minutes(15);
constexpr core::Duration kLargePruneGrace = std::chrono::hours(24);

// Nothing for a pr_repository.
std::optional<Coordinate> view_of(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == key.npos || !key.ends_with(grasp::kRepositorySuffix)) return std::nullopt;
  const auto owner = nostr::nip19::parse_npub(key.substr(0, slash));
  key.remove_prefix(slash + 1);
  key.remove_suffix(grasp::kRepositorySuffix.size());
  const auto identifier = grasp::Identifier::parse(key);
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *identifier};
}

}  // namespace

void GraspHost::remove_unless_open(const Coordinate& view) {
  const auto kept = hosting_.packs.lock(hosting_.key(view));
  const auto guard = hosting_.views.lock(hosting_.key(view));
  if (hosting_.ask([&](const auto& policy) { return policy.is_open(view); })) return;
  hosting_.followed.forget(view);
  hosting_.pull_refs.forget(hosting_.key(view));
  std::error_code ignored;
  if (!std::filesystem::exists(hosting_.path(view), ignored)) return;
  const auto removed =
      gitio::remove_repository(options_.hosting.root, hosting_.path(view), random_hex(16));
  if (!removed)
    core::log::error("cannot remove the repository {}: {}", hosting_.key(view), removed.error());
  else
    core::log::info("removed the repository {}", hosting_.key(view));
}

// Earlier versions made a folder for every announcement.
void GraspHost::remove_untouched() {
  const auto waiting =
      hosting_.ask([](const grasp::Policy& policy) { return policy.purgatory().announcements(); });
  for (const Coordinate& view : waiting) {
    if (!hosting_.has_repository(view)) continue;
    const auto kept = hosting_.packs.lock(hosting_.key(view));
    const auto guard = hosting_.views.lock(hosting_.key(view));
    if (!gitio::is_untouched(hosting_.path(view))) continue;
    const auto removed =
        gitio::remove_repository(options_.hosting.root, hosting_.path(view), random_hex(16));
    if (!removed)
      core::log::warn("cannot remove the empty repository {}: {}", hosting_.key(view),
                      removed.error());
  }
}

void GraspHost::touched(const std::string& key) {
  std::lock_guard lock(touched_mutex_);
  touched_.insert(key);
}

void GraspHost::maintain() {
  std::set<std::string> keys;
  {
    std::lock_guard lock(touched_mutex_);
    keys = std::exchange(touched_, {});
  }
  const auto garbage = hosting_.pull_refs.take_garbage(net::now().instant - kPruneGrace);
  for (const auto& [key, since] : garbage) keys.insert(key);
  for (const std::string& key : keys) {
    const auto at = garbage.find(key);
    const auto since = at == garbage.end() ? std::nullopt : std::optional(at->second);
    maintenance_.post([this, key, since] { maintain(key, since); });
  }
}

void GraspHost::maintain(const std::string& key, std::optional<core::Instant> garbage_since) {
  const auto kept = hosting_.packs.lock(key);
  const auto guard = hosting_.views.lock(key);
  const auto path = options_.hosting.root / key;
  if (std::error_code gone; !std::filesystem::exists(path, gone)) return;
  gitio::MaintainOptions options;
  if (garbage_since) {
    const bool is_large = gitio::disk_bytes(path) > options.full_repack_bytes_max;
    options.force = !is_large || *garbage_since <= net::now().instant - kLargePruneGrace;
    if (options.force) options.unreachable_grace = kPruneGrace;
    if (!options.force) hosting_.pull_refs.left_garbage(key, *garbage_since);
  }
  const auto done = gitio::maintain(path, options);
  if (!done) core::log::warn("maintenance of {} failed: {}", key, done.error());
  const auto view = view_of(key);
  if (view && !RepositorySpace(hosting_, *view).make_space()) touched(key);  // again, next time
}

}  // namespace graspd::serve
