#include "serve/host/alignment_context.h"

#include <algorithm>

#include "core/log.h"
#include "gitio/ref_store.h"
#include "gitio/share.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;

// Long enough for any copy; a push holds the lock of a repository only to move files.
constexpr core::Duration kLockPatience = std::chrono::minutes(10);

}  // namespace

bool AlignmentContext::is_asked_for(const Coordinate& repo) const {
  return std::ranges::find(scope.repos, repo) != scope.repos.end();
}

bool AlignmentContext::copy(const std::string& from, const Coordinate& to,
                            const std::vector<git::Oid>& tips) {
  const auto kept = hosting.packs.lock_for(from, kLockPatience);
  const auto guard = kept ? hosting.repos.lock_for(hosting.key(to), kLockPatience) : std::nullopt;
  if (!guard) return false;
  const auto made = hosting.make_repository(to);
  const auto copied = made
                          ? gitio::copy_history(hosting.options.root / from, hosting.path(to), tips)
                          : core::Failure{made.error()};
  if (!copied)
    core::log::warn("cannot copy from {} to {}: {}", from, hosting.key(to), copied.error());
  has_news |= static_cast<bool>(copied);
  return static_cast<bool>(copied);
}

bool AlignmentContext::apply(const Coordinate& repo, const git::RefTransaction& transaction) {
  const auto done = gitio::apply(hosting.path(repo), transaction);
  if (done) {
    result.not_set.erase(repo);
    return true;
  }
  core::log::error("cannot set refs in {}: {}", hosting.key(repo), done.error());
  result.not_set.insert(repo);
  result.failed = true;
  return false;
}

}  // namespace graspd::serve
