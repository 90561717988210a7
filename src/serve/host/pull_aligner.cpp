// Rule numbers are those of serve/host/ref_aligner.h.
#include "serve/host/pull_aligner.h"

#include <algorithm>
#include <ranges>

#include "core/log.h"
#include "gitio/missing.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "serve/host/pull_refs.h"
#include "serve/host/repository_space.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PullRequest;

// Repositories that get the commit of one pull request before others have their turn.
constexpr std::size_t kPullReposAtOnce = 16;
// Refs that are set before others may write: a push waits for them. More than a transaction that is
// synced ref by ref has: that would take longer.
constexpr std::size_t kRefsAtOnce = gitio::kPackAfter + 16;
// One ref in trouble among hundreds is found with fewer.
constexpr std::size_t kRefusalsMax = 32;
constexpr core::Duration kPullWalkPatience = std::chrono::minutes(30);

}  // namespace

// R8. Nobody looks at what else waits when only some pull requests came. R9
std::vector<PullScope> PullAligner::asked_pulls() {
  auto pulls = context_.scope.pulls;
  if (context_.scope.patient || context_.scope.repos.empty() || !context_.has_news) return pulls;
  if (std::exchange(has_asked_, true)) return pulls;
  const auto known = context_.hosting.known();
  const grasp::Purgatory& purgatory = known->purgatory();
  context_.result.unfinished |= purgatory.pulls().count(context_.identifier) > kPullsAtOnce;
  for (const nostr::EventId& id : purgatory.pulls().of(context_.identifier, kPullsAtOnce)) {
    const bool is_named = std::ranges::find(pulls, id, &PullScope::id) != pulls.end();
    if (!is_named) pulls.push_back({id});
  }
  return pulls;
}

void PullAligner::align() {
  auto due = due_pulls(asked_pulls());
  for (DuePull& one : due)
    if (one.is_apart) bring_apart(one);
  std::map<std::vector<Coordinate>, std::vector<DuePull*>> alike;
  for (DuePull& one : due) alike[one.repos].push_back(&one);
  for (const auto& [repos, pulls] : alike) align_alike(repos, pulls);
  collect_released(due);
  if (context_.scope.repos.empty())
    context_.scope.pulls.clear();  // another round would find nothing else
}

void PullAligner::collect_released(const std::vector<DuePull>& due) {
  auto& left = context_.result.pulls_left;
  const auto known = context_.hosting.known();
  for (const DuePull& one : due) {
    std::erase_if(left, [&](const PullScope& other) { return other.id == one.pull.id; });
    if (one.left && (one.is_visible || context_.scope.patient)) left.push_back(*one.left);
    const auto* held = one.is_visible ? known->purgatory().pull(one.pull.id) : nullptr;
    if (held) context_.released.push_back(held->event);
  }
}

// R8. Which repositories a pull request has depends on the repositories it names, and most name the
// same.
std::vector<PullAligner::DuePull> PullAligner::due_pulls(
    const std::vector<PullScope>& pulls) const {
  std::vector<DuePull> due;
  due.reserve(pulls.size());
  std::map<std::vector<Coordinate>, PullRepos> repos_of;
  for (const auto& [id, from] : pulls) {
    auto pull = context_.hosting.find_pull(id);
    if (!pull || !pull->commit) continue;
    const auto known = context_.hosting.known();
    auto at = repos_of.find(pull->repositories);
    if (at == repos_of.end())
      at = repos_of.emplace(pull->repositories, repos_by_nearness(*known, *pull)).first;
    const PullRepos& all = at->second;
    const bool patient = context_.scope.patient;
    DuePull one{*std::move(pull), patient ? slice_of(all, from) : first_of(all)};
    const std::size_t next = patient ? from + kPullReposAtOnce : 0;
    const bool is_left = patient ? next < all.repos.size() : one.repos.size() < all.repos.size();
    if (is_left) one.left = PullScope{id, next};
    one.is_apart = !known->purgatory().uploads().of(id).empty() ||
                   !known->pr_repositories_of(one.pull).empty();
    if (one.is_apart) one.all_repos = all.repos;
    due.push_back(std::move(one));
  }
  return due;
}

// R4. What lies in PR repositories or in quarantine for it.
void PullAligner::bring_apart(DuePull& one) {
  one.is_visible = align_pr_repositories(one);
  if (!one.all_repos.empty()) one.holder = take_upload(one.pull, one.all_repos);
  if (one.holder && std::ranges::find(one.repos, *one.holder) == one.repos.end())
    one.repos.push_back(*one.holder);
}

// Those that are asked for, and those of the people it is addressed to.
std::vector<Coordinate> PullAligner::first_of(const PullRepos& all) const {
  std::vector<Coordinate> first;
  for (std::size_t i = 0; i < all.repos.size(); ++i)
    if (context_.is_asked_for(all.repos[i]) || (i < all.near && i < kPullReposAtOnce))
      first.push_back(all.repos[i]);
  return first;
}

// The first of all is always among them: it most likely has the commit.
std::vector<Coordinate> PullAligner::slice_of(const PullRepos& all, std::size_t from) {
  std::vector<Coordinate> slice;
  for (std::size_t i = 0; i < all.repos.size(); ++i)
    if (i == 0 || (i >= from && i < from + kPullReposAtOnce)) slice.push_back(all.repos[i]);
  return slice;
}

// Of pull requests for the same repositories.
void PullAligner::align_alike(const std::vector<Coordinate>& repos,
                              const std::vector<DuePull*>& pulls) {
  find_holders(repos, pulls);
  for (const Coordinate& repo : repos) {
    std::vector<DuePull*> here;
    for (const Coordinate& holder : repos) {
      std::vector<DuePull*> held;
      for (DuePull* one : pulls)
        if (one->holder == holder) held.push_back(one);
      if (!held.empty()) std::ranges::copy(brought(holder, repo, held), std::back_inserter(here));
    }
    set_pull_refs(repo, here);
  }
}

void PullAligner::find_holders(const std::vector<Coordinate>& repos,
                               const std::vector<DuePull*>& pulls) const {
  std::vector<DuePull*> sought;
  for (DuePull* one : pulls)
    if (!one->holder) sought.push_back(one);
  for (const Coordinate& repo : repos) {
    if (sought.empty()) return;
    const auto whole = whole_in(repo, sought);
    std::erase_if(sought, [&](DuePull* one) {
      if (whole.contains(*one->pull.commit)) one->holder = repo;
      return one->holder.has_value();
    });
  }
}

// Of what strangers bring, where there is a quota.
bool PullAligner::has_space_for(const Coordinate& repo, const PullRequest& pull,
                                std::uint64_t bytes) const {
  if (context_.hosting.options.repository_bytes_max == 0) return true;
  const bool has_a_say = context_.hosting.known()->catalog().authority(repo).contains(pull.author);
  return has_a_say || RepositorySpace(context_.hosting, repo).left_for_strangers() >= bytes;
}

// Those whose commits are in `repo` then.
std::vector<PullAligner::DuePull*> PullAligner::brought(const Coordinate& holder,
                                                        const Coordinate& repo,
                                                        std::vector<DuePull*> pulls) {
  if (holder == repo) return pulls;
  if (share_authority(repo, holder)) {
    if (!has_space_for(repo, pulls.front()->pull, 1)) return {};
    std::set<git::Oid> tips;
    for (const DuePull* one : pulls) tips.insert(*one->pull.commit);
    const bool copied =
        context_.copy(context_.hosting.key(holder), repo, {tips.begin(), tips.end()});
    return copied ? pulls : std::vector<DuePull*>();
  }
  const auto whole = whole_in(repo, pulls);
  std::erase_if(pulls, [&](const DuePull* one) { return !whole.contains(*one->pull.commit); });
  return pulls;
}

// R1. One process tells of all of them.
std::set<git::Oid> PullAligner::whole_in(const Coordinate& repo,
                                         const std::vector<DuePull*>& pulls) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  if (!repository) return {};
  std::set<git::Oid> found;
  for (const DuePull* one : pulls) found.insert(*one->pull.commit);
  for (const git::Oid& oid : repository->missing(std::vector(found.begin(), found.end())))
    found.erase(oid);
  std::erase_if(found, [&](const git::Oid& oid) { return !repository->has_commit(oid); });
  std::vector<git::Oid> unproven;
  for (const git::Oid& oid : found)
    if (context_.proven.repo != repo || !context_.proven.tips.contains(oid))
      unproven.push_back(oid);
  const auto lacking = gitio::lacking(context_.hosting.path(repo), unproven, kPullWalkPatience);
  if (!lacking) core::log::warn("cannot walk the history of {}: {}", repo.path(), lacking.error());
  for (const git::Oid& oid : lacking ? *lacking : unproven) found.erase(oid);
  return found;
}

bool PullAligner::align_pr_repositories(const DuePull& one) {
  const PullRequest& pull = one.pull;
  const auto pr_repositories = context_.hosting.known()->pr_repositories_of(pull);
  take_pr_repository_uploads(pull, pr_repositories);
  const auto pr_repository = std::ranges::find_if(pr_repositories, [&](const Coordinate& each) {
    return context_.hosting.pr_repositories.find(each, pull.id) == pull.commit;
  });
  if (pr_repository == pr_repositories.end()) return false;
  for (const Coordinate& repo : one.repos) {
    DuePull copied{pull, {repo}};
    if (!has_space_for(repo, pull, 1)) continue;
    if (context_.copy(context_.hosting.pr_repositories.key(*pr_repository), repo, {*pull.commit}))
      set_pull_refs(repo, {&copied});
  }
  return true;
}

// Those that are not for it go as well: there will be no other event of this id.
void PullAligner::take_pr_repository_uploads(const PullRequest& pull,
                                             const std::vector<Coordinate>& pr_repositories) {
  const auto uploads = context_.hosting.known()->purgatory().uploads().of(pull.id);
  for (const grasp::Upload& upload : uploads) {
    if (!upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(context_.hosting.options.root, upload.token);
    const bool wanted = upload.commit == *pull.commit &&
                        std::ranges::find(pr_repositories, upload.repo) != pr_repositories.end();
    if (staging && wanted) {
      const auto put =
          context_.hosting.pr_repositories.put(upload.repo, pull.id, upload.commit, *staging);
      if (!put)
        core::log::warn("cannot put an upload into {}: {}",
                        context_.hosting.pr_repositories.key(upload.repo), put.error());
    }
    if (staging) staging->discard();
    context_.used_uploads.push_back(upload.token);
  }
}

std::optional<Coordinate> PullAligner::take_upload(const PullRequest& pull,
                                                   const std::vector<Coordinate>& repos) {
  const auto uploads = context_.hosting.known()->purgatory().uploads().of(pull.id);
  std::optional<Coordinate> holder;
  for (const grasp::Upload& upload : uploads) {
    if (upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(context_.hosting.options.root, upload.token);
    const bool wanted =
        upload.commit == *pull.commit && std::ranges::find(repos, upload.repo) != repos.end();
    bool moved = false;
    if (staging && wanted && !has_space_for(upload.repo, pull, upload.bytes)) continue;  // it waits
    if (staging && wanted) {
      const auto guard = context_.hosting.repos.lock(context_.hosting.key(upload.repo));
      moved = context_.hosting.make_repository(upload.repo) &&
              staging->move_into(context_.hosting.path(upload.repo));
    }
    if (moved && !holder) holder = upload.repo;
    if (staging && (moved || !wanted)) staging->discard();
    context_.used_uploads.push_back(upload.token);
  }
  return holder;
}

// A pull request may name several repositories, and people of the same name.
bool PullAligner::share_authority(const Coordinate& a, const Coordinate& b) const {
  const auto known = context_.hosting.known();
  const auto& of_a = known->catalog().authority(a).members;
  const auto& of_b = known->catalog().authority(b).members;
  return std::ranges::any_of(of_a, [&](const auto& key) { return of_b.contains(key); });
}

// R8. Few transactions, and no look at the refs of others.
void PullAligner::set_pull_refs(const Coordinate& repo, const std::vector<DuePull*>& pulls) {
  for (std::size_t at = 0; at < pulls.size(); at += kRefsAtOnce)
    set_some_pull_refs(repo,
                       std::span(pulls).subspan(at, std::min(kRefsAtOnce, pulls.size() - at)));
}

void PullAligner::set_some_pull_refs(const Coordinate& repo, std::span<DuePull* const> pulls) {
  const auto guard = context_.hosting.repos.lock(context_.hosting.key(repo));
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  if (!repository) return;
  std::vector<const PullRequest*> all;
  for (const DuePull* one : pulls) all.push_back(&one->pull);
  const auto unwanted = PullRefs(context_.hosting, repo).unwanted(all);
  std::vector<git::RefUpdate> updates;
  std::vector<DuePull*> moved;
  for (DuePull* one : pulls) {
    const git::Oid& commit = *one->pull.commit;
    if (!repository->has_commit(commit)) continue;
    const git::RefName ref = pull_ref(one->pull.id);
    const auto at = repository->find(ref);
    one->is_visible |= at == commit || unwanted.contains(one->pull.id);
    if (at == commit || unwanted.contains(one->pull.id)) continue;
    updates.push_back({ref, at, commit});
    moved.push_back(one);
  }
  std::size_t added = 0;
  for (const std::size_t index : apply_most(repo, updates)) {
    moved[index]->is_visible = true;
    if (!updates[index].old_oid) ++added;
  }
  if (added > 0) PullRefs(context_.hosting, repo).added(added);
}

// All at once; when git does not take that, halves, so that one ref in trouble is alone with it.
// Which were set.
std::vector<std::size_t> PullAligner::apply_most(const Coordinate& repo,
                                                 std::span<const git::RefUpdate> updates) {
  std::vector<std::size_t> done;
  if (updates.empty() || refusals_ >= kRefusalsMax) return done;
  const git::RefTransaction transaction{{updates.begin(), updates.end()}, std::nullopt};
  const bool is_set =
      updates.size() == 1
          ? context_.apply(repo, transaction)
          : static_cast<bool>(gitio::apply(context_.hosting.path(repo), transaction));
  if (is_set) {
    for (std::size_t i = 0; i < updates.size(); ++i) done.push_back(i);
  } else if (++refusals_ >= kRefusalsMax) {
    context_.result.failed = true;
  } else if (updates.size() > 1) {
    const std::size_t middle = updates.size() / 2;
    done = apply_most(repo, updates.first(middle));
    for (const std::size_t index : apply_most(repo, updates.subspan(middle)))
      done.push_back(middle + index);
  }
  return done;
}

}  // namespace graspd::serve
