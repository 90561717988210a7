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

// Views that get the commit of one pull request before others have their turn.
constexpr std::size_t kPullViewsAtOnce = 16;
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
  if (context_.scope.patient || context_.scope.views.empty() || !context_.has_news) return pulls;
  if (std::exchange(has_asked_, true)) return pulls;
  const auto known = context_.hosting.known();
  const grasp::Purgatory& purgatory = known->purgatory();
  context_.result.unfinished |= purgatory.pull_count(context_.identifier) > kPullsAtOnce;
  for (const nostr::EventId& id : purgatory.pulls(context_.identifier, kPullsAtOnce)) {
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
  for (DuePull& one : due) alike[one.views].push_back(&one);
  for (const auto& [views, pulls] : alike) align_alike(views, pulls);
  collect_released(due);
  if (context_.scope.views.empty())
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

// R8. Which views a pull request has depends on the repositories it names, and most name the same.
std::vector<PullAligner::DuePull> PullAligner::due_pulls(
    const std::vector<PullScope>& pulls) const {
  std::vector<DuePull> due;
  due.reserve(pulls.size());
  std::map<std::vector<Coordinate>, PullViews> views_of;
  for (const auto& [id, from] : pulls) {
    auto pull = context_.hosting.find_pull(id);
    if (!pull || !pull->commit) continue;
    const auto known = context_.hosting.known();
    auto at = views_of.find(pull->repositories);
    if (at == views_of.end())
      at = views_of.emplace(pull->repositories, views_by_nearness(*known, *pull)).first;
    const PullViews& all = at->second;
    const bool patient = context_.scope.patient;
    DuePull one{*std::move(pull), patient ? slice_of(all, from) : first_of(all)};
    const std::size_t next = patient ? from + kPullViewsAtOnce : 0;
    const bool is_left = patient ? next < all.views.size() : one.views.size() < all.views.size();
    if (is_left) one.left = PullScope{id, next};
    one.is_apart =
        !known->purgatory().uploads(id).empty() || !known->pr_repositories_of(one.pull).empty();
    if (one.is_apart) one.all_views = all.views;
    due.push_back(std::move(one));
  }
  return due;
}

// R4. What lies in PR repositories or in quarantine for it.
void PullAligner::bring_apart(DuePull& one) {
  one.is_visible = align_pr_repositories(one);
  if (!one.all_views.empty()) one.holder = take_upload(one.pull, one.all_views);
  if (one.holder && std::ranges::find(one.views, *one.holder) == one.views.end())
    one.views.push_back(*one.holder);
}

// Those that are asked for, and those of the people it is addressed to.
std::vector<Coordinate> PullAligner::first_of(const PullViews& all) const {
  std::vector<Coordinate> first;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (context_.is_asked_for(all.views[i]) || (i < all.near && i < kPullViewsAtOnce))
      first.push_back(all.views[i]);
  return first;
}

// The first of all is always among them: it most likely has the commit.
std::vector<Coordinate> PullAligner::slice_of(const PullViews& all, std::size_t from) {
  std::vector<Coordinate> slice;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (i == 0 || (i >= from && i < from + kPullViewsAtOnce)) slice.push_back(all.views[i]);
  return slice;
}

// Of pull requests for the same views.
void PullAligner::align_alike(const std::vector<Coordinate>& views,
                              const std::vector<DuePull*>& pulls) {
  find_holders(views, pulls);
  for (const Coordinate& view : views) {
    std::vector<DuePull*> here;
    for (const Coordinate& holder : views) {
      std::vector<DuePull*> held;
      for (DuePull* one : pulls)
        if (one->holder == holder) held.push_back(one);
      if (!held.empty()) std::ranges::copy(brought(holder, view, held), std::back_inserter(here));
    }
    set_pull_refs(view, here);
  }
}

void PullAligner::find_holders(const std::vector<Coordinate>& views,
                               const std::vector<DuePull*>& pulls) const {
  std::vector<DuePull*> sought;
  for (DuePull* one : pulls)
    if (!one->holder) sought.push_back(one);
  for (const Coordinate& view : views) {
    if (sought.empty()) return;
    const auto whole = whole_in(view, sought);
    std::erase_if(sought, [&](DuePull* one) {
      if (whole.contains(*one->pull.commit)) one->holder = view;
      return one->holder.has_value();
    });
  }
}

// Of what strangers bring, where there is a quota.
bool PullAligner::has_space_for(const Coordinate& view, const PullRequest& pull,
                                std::uint64_t bytes) const {
  if (context_.hosting.options.repository_bytes_max == 0) return true;
  const bool has_a_say = context_.hosting.known()->catalog().authority(view).contains(pull.author);
  return has_a_say || RepositorySpace(context_.hosting, view).left_for_strangers() >= bytes;
}

// Those whose commits are in `view` then.
std::vector<PullAligner::DuePull*> PullAligner::brought(const Coordinate& holder,
                                                        const Coordinate& view,
                                                        std::vector<DuePull*> pulls) {
  if (holder == view) return pulls;
  if (share_authority(view, holder)) {
    if (!has_space_for(view, pulls.front()->pull, 1)) return {};
    std::set<git::Oid> tips;
    for (const DuePull* one : pulls) tips.insert(*one->pull.commit);
    const bool copied =
        context_.copy(context_.hosting.key(holder), view, {tips.begin(), tips.end()});
    return copied ? pulls : std::vector<DuePull*>();
  }
  const auto whole = whole_in(view, pulls);
  std::erase_if(pulls, [&](const DuePull* one) { return !whole.contains(*one->pull.commit); });
  return pulls;
}

// R1. One process tells of all of them.
std::set<git::Oid> PullAligner::whole_in(const Coordinate& view,
                                         const std::vector<DuePull*>& pulls) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(view));
  if (!repository) return {};
  std::set<git::Oid> found;
  for (const DuePull* one : pulls) found.insert(*one->pull.commit);
  for (const git::Oid& oid : repository->missing(std::vector(found.begin(), found.end())))
    found.erase(oid);
  std::erase_if(found, [&](const git::Oid& oid) { return !repository->has_commit(oid); });
  std::vector<git::Oid> unproven;
  for (const git::Oid& oid : found)
    if (context_.proven.view != view || !context_.proven.tips.contains(oid))
      unproven.push_back(oid);
  const auto lacking = gitio::lacking(context_.hosting.path(view), unproven, kPullWalkPatience);
  if (!lacking) core::log::warn("cannot walk the history of {}: {}", view.path(), lacking.error());
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
  for (const Coordinate& view : one.views) {
    DuePull copied{pull, {view}};
    if (!has_space_for(view, pull, 1)) continue;
    if (context_.copy(context_.hosting.pr_repositories.key(*pr_repository), view, {*pull.commit}))
      set_pull_refs(view, {&copied});
  }
  return true;
}

// Those that are not for it go as well: there will be no other event of this id.
void PullAligner::take_pr_repository_uploads(const PullRequest& pull,
                                             const std::vector<Coordinate>& pr_repositories) {
  const auto uploads = context_.hosting.known()->purgatory().uploads(pull.id);
  for (const grasp::Upload& upload : uploads) {
    if (!upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(context_.hosting.options.root, upload.token);
    const bool wanted = upload.commit == *pull.commit &&
                        std::ranges::find(pr_repositories, upload.view) != pr_repositories.end();
    if (staging && wanted) {
      const auto put =
          context_.hosting.pr_repositories.put(upload.view, pull.id, upload.commit, *staging);
      if (!put)
        core::log::warn("cannot put an upload into {}: {}",
                        context_.hosting.pr_repositories.key(upload.view), put.error());
    }
    if (staging) staging->discard();
    context_.used_uploads.push_back(upload.token);
  }
}

std::optional<Coordinate> PullAligner::take_upload(const PullRequest& pull,
                                                   const std::vector<Coordinate>& views) {
  const auto uploads = context_.hosting.known()->purgatory().uploads(pull.id);
  std::optional<Coordinate> holder;
  for (const grasp::Upload& upload : uploads) {
    if (upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(context_.hosting.options.root, upload.token);
    const bool wanted =
        upload.commit == *pull.commit && std::ranges::find(views, upload.view) != views.end();
    bool moved = false;
    if (staging && wanted && !has_space_for(upload.view, pull, upload.bytes)) continue;  // it waits
    if (staging && wanted) {
      const auto guard = context_.hosting.views.lock(context_.hosting.key(upload.view));
      moved = context_.hosting.make_repository(upload.view) &&
              staging->move_into(context_.hosting.path(upload.view));
    }
    if (moved && !holder) holder = upload.view;
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
void PullAligner::set_pull_refs(const Coordinate& view, const std::vector<DuePull*>& pulls) {
  for (std::size_t at = 0; at < pulls.size(); at += kRefsAtOnce)
    set_some_pull_refs(view,
                       std::span(pulls).subspan(at, std::min(kRefsAtOnce, pulls.size() - at)));
}

void PullAligner::set_some_pull_refs(const Coordinate& view, std::span<DuePull* const> pulls) {
  const auto guard = context_.hosting.views.lock(context_.hosting.key(view));
  const auto repository = gitio::Repository::open(context_.hosting.path(view));
  if (!repository) return;
  std::vector<const PullRequest*> all;
  for (const DuePull* one : pulls) all.push_back(&one->pull);
  const auto unwanted = PullRefs(context_.hosting, view).unwanted(all);
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
  for (const std::size_t index : apply_most(view, updates)) {
    moved[index]->is_visible = true;
    if (!updates[index].old_oid) ++added;
  }
  if (added > 0) PullRefs(context_.hosting, view).added(added);
}

// All at once; when git does not take that, halves, so that one ref in trouble is alone with it.
// Which were set.
std::vector<std::size_t> PullAligner::apply_most(const Coordinate& view,
                                                 std::span<const git::RefUpdate> updates) {
  std::vector<std::size_t> done;
  if (updates.empty() || refusals_ >= kRefusalsMax) return done;
  const git::RefTransaction transaction{{updates.begin(), updates.end()}, std::nullopt};
  const bool is_set =
      updates.size() == 1
          ? context_.apply(view, transaction)
          : static_cast<bool>(gitio::apply(context_.hosting.path(view), transaction));
  if (is_set) {
    for (std::size_t i = 0; i < updates.size(); ++i) done.push_back(i);
  } else if (++refusals_ >= kRefusalsMax) {
    context_.result.failed = true;
  } else if (updates.size() > 1) {
    const std::size_t middle = updates.size() / 2;
    done = apply_most(view, updates.first(middle));
    for (const std::size_t index : apply_most(view, updates.subspan(middle)))
      done.push_back(middle + index);
  }
  return done;
}

}  // namespace graspd::serve
