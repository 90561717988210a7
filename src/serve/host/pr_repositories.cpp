#include "serve/host/pr_repositories.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/connectivity.h"
#include "gitio/maintenance.h"
#include "gitio/ref_store.h"
#include "gitio/removal.h"
#include "gitio/repository.h"
#include "serve/runtime/random.h"

namespace graspd::serve {

namespace fs = std::filesystem;

namespace {

using grasp::Coordinate;

constexpr git::RefName::Space kNostr[] = {git::RefName::Space::Nostr};
constexpr core::Duration kWalkPatience = std::chrono::minutes(10);

std::optional<git::Refs> refs_in(const fs::path& path) {
  const auto repository = gitio::Repository::open(path);
  const auto refs = repository ? repository->refs(kNostr)
                               : core::Result<git::Refs, std::string>(core::Failure{std::string()});
  return refs ? std::optional(*refs) : std::nullopt;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) found.push_back(entry.path());
  return found;
}

std::optional<std::uint64_t> left_of(std::uint64_t limit, std::uint64_t used) {
  if (limit == 0) return std::nullopt;
  return limit - std::min(limit, used);
}

}  // namespace

git::RefName pull_ref(const nostr::EventId& id) {
  return *git::RefName::parse("refs/nostr/" + id.hex());
}

std::optional<nostr::EventId> pull_of(const git::RefName& ref) {
  if (ref.space() != git::RefName::Space::Nostr) return std::nullopt;
  return nostr::EventId::from_hex(ref.short_name());
}

PrRepositories::PrRepositories(fs::path root, git::RefName unborn_branch, PrLimits limits,
                               gitio::RepoLocks& locks)
    : root_(std::move(root)),
      unborn_branch_(std::move(unborn_branch)),
      limits_(limits),
      locks_(locks) {}

void PrRepositories::load() {
  std::error_code ignored;
  for (const fs::path& person : folders_in(root_ / "prs"))
    if (fs::is_empty(person, ignored)) fs::remove(person, ignored);
}

fs::path PrRepositories::shown(const Coordinate& pr_repository) const {
  std::error_code ignored;
  const fs::path own = path(pr_repository);
  return fs::exists(own / "HEAD", ignored) ? own : gitio::Repository::stand_in(root_);
}

std::optional<git::Oid> PrRepositories::find(const Coordinate& pr_repository,
                                             const nostr::EventId& id) const {
  const auto refs = refs_in(path(pr_repository));
  if (!refs) return std::nullopt;
  const auto at = refs->find(pull_ref(id));
  const auto repository = gitio::Repository::open(path(pr_repository));
  if (at == refs->end() || !repository || !repository->has(at->second)) return std::nullopt;
  return at->second;
}

core::Result<core::Done, std::string> PrRepositories::put(const Coordinate& pr_repository,
                                                          const nostr::EventId& id,
                                                          const git::Oid& commit,
                                                          gitio::Staging& staging) {
  const auto guard = locks_.lock(key(pr_repository));
  auto made = gitio::Repository::create(path(pr_repository), unborn_branch_);
  if (!made) return made;
  auto filled = fill(pr_repository, id, commit, staging);
  remove_if_empty(pr_repository);
  measure(pr_repository);
  return filled;
}

// R2. What the staging borrowed from may be gone by now.
core::Result<core::Done, std::string> PrRepositories::fill(const Coordinate& pr_repository,
                                                           const nostr::EventId& id,
                                                           const git::Oid& commit,
                                                           gitio::Staging& staging) {
  if (auto moved = staging.move_into(path(pr_repository)); !moved) return moved;
  const auto repository = gitio::Repository::open(path(pr_repository));
  if (!repository || !repository->has_commit(commit))
    return core::Failure{commit.hex() + " is not a commit"};
  const auto whole = gitio::is_connected(path(pr_repository), {commit}, kWalkPatience);
  if (!whole) return core::Failure{whole.error()};
  if (!*whole) return core::Failure{"parts of the history of " + commit.hex() + " are missing"};
  const auto refs = repository->refs(kNostr);
  if (!refs) return core::Failure{refs.error()};
  git::RefUpdate update{pull_ref(id), std::nullopt, commit};
  const auto at = refs->find(update.ref);
  if (at != refs->end()) update.old_oid = at->second;
  if (update.old_oid == commit) return core::Done{};
  return gitio::apply(path(pr_repository), {{update}, std::nullopt});
}

void PrRepositories::drop(const Coordinate& pr_repository, const std::vector<nostr::EventId>& ids) {
  std::vector<git::RefName> gone;
  gone.reserve(ids.size());
  for (const nostr::EventId& id : ids) gone.push_back(pull_ref(id));
  const auto guard = locks_.lock(key(pr_repository));
  drop_refs(pr_repository, gone);
}

// With the lock.
void PrRepositories::drop_refs(const Coordinate& pr_repository,
                               const std::vector<git::RefName>& gone) {
  const auto refs = refs_in(path(pr_repository));
  if (!refs) return;
  git::RefTransaction transaction;
  for (const git::RefName& ref : gone)
    if (const auto at = refs->find(ref); at != refs->end())
      transaction.updates.push_back({ref, at->second, std::nullopt});
  if (!transaction.empty())
    if (const auto done = gitio::apply(path(pr_repository), transaction); !done)
      core::log::error("cannot remove refs in {}: {}", key(pr_repository), done.error());
  remove_if_empty(pr_repository);
  measure(pr_repository);
}

void PrRepositories::remove_if_empty(const Coordinate& pr_repository) {
  const auto refs = refs_in(path(pr_repository));
  if (!refs || !refs->empty()) return;
  const auto removed = gitio::remove_repository(root_, path(pr_repository), random_hex(16));
  if (!removed) core::log::error("cannot remove {}: {}", key(pr_repository), removed.error());
}

void PrRepositories::measure(const Coordinate& pr_repository) {
  const std::uint64_t bytes = gitio::disk_bytes(path(pr_repository));
  std::lock_guard lock(mutex_);
  auto& known = bytes_[pr_repository];
  all_bytes_ = all_bytes_ - known + bytes;
  known = bytes;
  if (bytes == 0) bytes_.erase(pr_repository);
}

std::vector<Coordinate> PrRepositories::all() const {
  std::vector<Coordinate> found;
  for (const fs::path& person : folders_in(root_ / "prs"))
    for (const fs::path& folder : folders_in(person))
      if (auto pr_repository = grasp::parse_pr_repository_path(person.filename().string(),
                                                               folder.filename().string()))
        found.push_back(*std::move(pr_repository));
  return found;
}

void PrRepositories::tidy(const HasEvent& has_event) {
  for (const Coordinate& pr_repository : all()) {
    const auto guard = locks_.lock(key(pr_repository));
    std::vector<git::RefName> gone;
    for (const auto& [ref, oid] : refs_in(path(pr_repository)).value_or(git::Refs())) {
      const auto id = pull_of(ref);
      if (!id || !has_event(pr_repository, *id)) gone.push_back(ref);
    }
    drop_refs(pr_repository, gone);
  }
}

std::optional<std::string> PrRepositories::full(const Coordinate& pr_repository) const {
  std::lock_guard lock(mutex_);
  const auto at = bytes_.find(pr_repository);
  if (left_of(limits_.pr_repository_bytes_max, at == bytes_.end() ? 0 : at->second) == 0U)
    return fmt::format("your pull requests for this repository have reached their quota of {} MiB",
                       limits_.pr_repository_bytes_max >> 20);
  if (left_of(limits_.bytes_max, all_bytes_) == 0U)
    return "this server has no more room for pull requests of repositories that it does not host";
  return std::nullopt;
}

PrRepositories::Totals PrRepositories::totals() const {
  std::lock_guard lock(mutex_);
  return {bytes_.size(), all_bytes_};
}

std::optional<std::uint64_t> PrRepositories::bytes_left(const Coordinate& pr_repository) const {
  std::lock_guard lock(mutex_);
  const auto at = bytes_.find(pr_repository);
  const auto here = left_of(limits_.pr_repository_bytes_max, at == bytes_.end() ? 0 : at->second);
  const auto all = left_of(limits_.bytes_max, all_bytes_);
  if (!here || !all) return here ? here : all;
  return std::min(*here, *all);
}

}  // namespace graspd::serve
