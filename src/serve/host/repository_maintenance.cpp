#include "serve/host/repository_maintenance.h"

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/removal.h"
#include "gitio/staging.h"
#include "net/clock.h"
#include "nostr/nip19.h"
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
std::optional<Coordinate> repo_of(std::string_view key) {
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

RepositoryMaintenance::RepositoryMaintenance(Hosting& hosting)
    : hosting_(hosting), worker_(1, Workers::Priority::Background) {}

void RepositoryMaintenance::open(core::Duration interval, bool with_pr_repositories) {
  worker_.post([this] {
    gitio::sweep_trash(hosting_.options.root);
    remove_untouched();
  });
  if (with_pr_repositories) worker_.post([this] { tidy_pr_repositories(); });
  rounds_ = std::make_unique<PeriodicTimer>(interval, [this] { begin_round(); });
}

void RepositoryMaintenance::stop() {
  rounds_.reset();
  worker_.stop();
}

void RepositoryMaintenance::remove(const Coordinate& repository, std::function<void()> then) {
  worker_.post([this, repository, then = std::move(then)] {
    remove_unless_open(repository);
    then();
  });
}

void RepositoryMaintenance::discard_upload(const std::string& token) {
  worker_.post([this, token] {
    if (auto staging = gitio::Staging::reopen(hosting_.options.root, token)) staging->discard();
  });
}

void RepositoryMaintenance::tidy_pr_repositories() {
  hosting_.pr_repositories.tidy([this](const Coordinate& pr_repository, const nostr::EventId& id) {
    const auto pull = hosting_.find_pull(id);
    return pull && pull->commit &&
           !hosting_.known()->pr_repository_fault(*pull, pr_repository, *pull->commit);
  });
}

// R2
void RepositoryMaintenance::remove_unless_open(const Coordinate& repo) {
  const auto kept = hosting_.packs.lock(hosting_.key(repo));
  const auto guard = hosting_.repos.lock(hosting_.key(repo));
  if (hosting_.known()->is_open(repo)) return;
  hosting_.followed.forget(repo);
  hosting_.pull_refs.forget(hosting_.key(repo));
  std::error_code ignored;
  if (!std::filesystem::exists(hosting_.path(repo), ignored)) return;
  const auto removed =
      gitio::remove_repository(hosting_.options.root, hosting_.path(repo), random_hex(16));
  if (!removed)
    core::log::error("cannot remove the repository {}: {}", hosting_.key(repo), removed.error());
  else
    core::log::info("removed the repository {}", hosting_.key(repo));
}

// Earlier versions made a folder for every announcement.
void RepositoryMaintenance::remove_untouched() {
  for (const Coordinate& repo : hosting_.known()->purgatory().announcements().keys()) {
    if (!hosting_.has_repository(repo)) continue;
    const auto kept = hosting_.packs.lock(hosting_.key(repo));
    const auto guard = hosting_.repos.lock(hosting_.key(repo));
    if (!gitio::is_untouched(hosting_.path(repo))) continue;
    const auto removed =
        gitio::remove_repository(hosting_.options.root, hosting_.path(repo), random_hex(16));
    if (!removed)
      core::log::warn("cannot remove the empty repository {}: {}", hosting_.key(repo),
                      removed.error());
  }
}

void RepositoryMaintenance::touched(const std::string& key) {
  std::lock_guard lock(mutex_);
  touched_.insert(key);
}

// R1
void RepositoryMaintenance::begin_round() {
  std::set<std::string> keys;
  {
    std::lock_guard lock(mutex_);
    keys = std::exchange(touched_, {});
  }
  const auto garbage = hosting_.pull_refs.take_garbage(net::now().instant - kPruneGrace);
  for (const auto& [key, since] : garbage) keys.insert(key);
  for (const std::string& key : keys) {
    const auto at = garbage.find(key);
    const auto since = at == garbage.end() ? std::nullopt : std::optional(at->second);
    worker_.post([this, key, since] { maintain(key, since); });
  }
}

void RepositoryMaintenance::maintain(const std::string& key,
                                     std::optional<core::Instant> garbage_since) {
  const auto kept = hosting_.packs.lock(key);
  const auto guard = hosting_.repos.lock(key);
  const auto path = hosting_.options.root / key;
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
  const auto repo = repo_of(key);
  if (repo && !RepositorySpace(hosting_, *repo).make_space()) touched(key);  // again, next time
}

}  // namespace graspd::serve
