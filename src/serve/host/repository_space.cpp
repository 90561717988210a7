#include "serve/host/repository_space.h"

#include <algorithm>
#include <array>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/repository.h"
#include "gitio/usage.h"
#include "net/clock.h"
#include "serve/host/pull_refs.h"

namespace graspd::serve {
namespace {

using Space = git::RefName::Space;

constexpr core::Duration kMeasurePatience = std::chrono::minutes(5);
// Objects that were moved in have their refs set long before.
constexpr core::Duration kEvictionGrace = std::chrono::minutes(15);
// What is dropped before it is measured again.
constexpr std::size_t kDroppedPart = 4;

}  // namespace

RepositorySpace::RepositorySpace(Hosting& hosting, grasp::Coordinate repo)
    : hosting_(hosting), repo_(std::move(repo)) {}

// All of a damaged repository comes once more; what it has is of no use then.
std::uint64_t RepositorySpace::total() const {
  return hosting_.incomplete.contains(repo_) ? 0 : gitio::disk_bytes(hosting_.path(repo_));
}

std::uint64_t RepositorySpace::share() const {
  return quota() / 100 * hosting_.options.pull_quota_percent;
}

std::optional<std::uint64_t> RepositorySpace::left_for_members() const {
  if (quota() == 0) return std::nullopt;
  return quota() - std::min(quota(), own(total()));
}

std::optional<std::uint64_t> RepositorySpace::left_for_strangers() const {
  if (quota() == 0) return std::nullopt;
  const std::uint64_t all = total();
  const std::uint64_t theirs = all - std::min(all, own(all));
  const std::uint64_t of_share = share() - std::min(share(), theirs);
  return std::min(of_share, quota() - std::min(quota(), all));
}

std::uint64_t RepositorySpace::own(std::uint64_t total) const {
  if (total == 0) return 0;
  const std::string key = hosting_.key(repo_);
  const core::Instant now = net::now().instant;
  if (const auto known = hosting_.own_bytes.find(key, total, now)) return *known;
  const std::uint64_t measured = std::min(measure_own().value_or(total), total);
  hosting_.own_bytes.set(key, total, measured, now);
  return measured;
}

std::optional<std::uint64_t> RepositorySpace::measure_own() const {
  const auto repository = gitio::Repository::open(hosting_.path(repo_));
  const auto refs = repository ? repository->heads_and_tags() : git::Refs();
  if (!refs) return std::nullopt;
  std::vector<git::Oid> tips = git::tips_of(*refs);
  for (const git::Oid& tip : PullRefs(hosting_, repo_).tips_of_members()) tips.push_back(tip);
  std::erase_if(tips, [&](const git::Oid& tip) { return !repository || !repository->has(tip); });
  const auto bytes = gitio::reachable_bytes(hosting_.path(repo_), tips, kMeasurePatience);
  if (!bytes) core::log::warn("cannot measure {}: {}", hosting_.key(repo_), bytes.error());
  return bytes ? std::optional(*bytes) : std::nullopt;
}

std::optional<std::uint64_t> RepositorySpace::measure_all() const {
  const auto repository = gitio::Repository::open(hosting_.path(repo_));
  const auto refs = repository
                        ? repository->refs(std::array{Space::Heads, Space::Tags, Space::Nostr})
                        : git::Refs();
  if (!refs) return std::nullopt;
  const auto bytes =
      gitio::reachable_bytes(hosting_.path(repo_), git::tips_of(*refs), kMeasurePatience);
  if (!bytes) core::log::warn("cannot measure {}: {}", hosting_.key(repo_), bytes.error());
  return bytes ? std::optional(*bytes) : std::nullopt;
}

bool RepositorySpace::make_space() {
  if (quota() == 0 || total() <= quota()) return true;
  std::size_t gone = 0;
  for (auto needed = measure_all(); needed && *needed > quota(); needed = measure_all()) {
    PullRefs refs(hosting_, repo_);
    const std::size_t strangers = refs.strangers();
    const std::size_t some = refs.drop_oldest((strangers + kDroppedPart - 1) / kDroppedPart);
    if (some == 0) break;
    gone += some;
  }
  if (gone > 0)
    core::log::warn("git: {} is beyond its quota: {} pull requests by contributors lose their refs",
                    hosting_.key(repo_), gone);
  const auto pruned =
      gitio::maintain(hosting_.path(repo_), {.unreachable_grace = kEvictionGrace, .force = true});
  hosting_.own_bytes.forget(hosting_.key(repo_));
  if (!pruned) core::log::warn("maintenance of {} failed: {}", hosting_.key(repo_), pruned.error());
  return total() <= quota();
}

}  // namespace graspd::serve
