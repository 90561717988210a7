// Pull requests: from where their commits lie into the views they are about.
#include <algorithm>
#include <ranges>

#include "core/log.h"
#include "gitio/missing.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "serve/host/pull_refs.h"
#include "serve/host/ref_aligner.h"
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
std::vector<PullScope> RefAligner::asked_pulls() {
  auto pulls = scope_.pulls;
  if (scope_.patient || scope_.views.empty() || !has_news_) return pulls;
  if (std::exchange(has_asked_, true)) return pulls;
  const auto waiting = hosting_.ask([&](const grasp::Policy& policy) {
    result_.unfinished |= policy.purgatory().pull_count(identifier_) > kPullsAtOnce;
    return policy.purgatory().pulls(identifier_, kPullsAtOnce);
  });
  for (const nostr::EventId& id : waiting) {
    const bool is_named = std::ranges::find(pulls, id, &PullScope::id) != pulls.end();
    if (!is_named) pulls.push_back({id});
  }
  return pulls;
}

void RefAligner::align_pulls() {
  auto due = due_pulls(asked_pulls());
  for (DuePull& one : due)
    if (one.is_apart) bring_apart(one);
  std::map<std::vector<Coordinate>, std::vector<DuePull*>> alike;
  for (DuePull& one : due) alike[one.views].push_back(&one);
  for (const auto& [views, pulls] : alike) align_alike(views, pulls);
  hosting_.ask([&](const grasp::Policy& policy) {
    for (const DuePull& one : due) {
      std::erase_if(result_.pulls_left,
                    [&](const PullScope& left) { return left.id == one.pull.id; });
      if (one.left && (one.is_visible || scope_.patient)) result_.pulls_left.push_back(*one.left);
      const auto* held = one.is_visible ? policy.purgatory().pull(one.pull.id) : nullptr;
      if (held) released_.push_back(held->event);
    }
  });
  if (scope_.views.empty()) scope_.pulls.clear();  // another round would find nothing else
}

// R8. Which views a pull request has depends on the repositories it names, and most name the same.
std::vector<RefAligner::DuePull> RefAligner::due_pulls(const std::vector<PullScope>& pulls) const {
  std::vector<DuePull> due;
  due.reserve(pulls.size());
  std::map<std::vector<Coordinate>, PullViews> known;
  for (const auto& [id, from] : pulls) {
    hosting_.ask([&](const grasp::Policy& policy) {
      auto pull = policy.find_pull(id);
      if (!pull || !pull->commit) return;
      auto at = known.find(pull->repositories);
      if (at == known.end())
        at = known.emplace(pull->repositories, views_by_nearness(policy, *pull)).first;
      const PullViews& all = at->second;
      DuePull one{*std::move(pull), scope_.patient ? slice_of(all, from) : first_of(all)};
      const std::size_t next = scope_.patient ? from + kPullViewsAtOnce : 0;
      const bool is_left =
          scope_.patient ? next < all.views.size() : one.views.size() < all.views.size();
      if (is_left) one.left = PullScope{id, next};
      one.is_apart =
          !policy.purgatory().uploads(id).empty() || !policy.pr_repositories_of(one.pull).empty();
      if (one.is_apart) one.all_views = all.views;
      due.push_back(std::move(one));
    });
  }
  return due;
}

// R4. What lies in PR repositories or in quarantine for it.
void RefAligner::bring_apart(DuePull& one) {
  one.is_visible = align_pr_repositories(one);
  if (!one.all_views.empty()) one.holder = take_upload(one.pull, one.all_views);
  if (one.holder && std::ranges::find(one.views, *one.holder) == one.views.end())
    one.views.push_back(*one.holder);
}

// Those that are asked for, and those of the people it is addressed to.
std::vector<Coordinate> RefAligner::first_of(const PullViews& all) const {
  std::vector<Coordinate> first;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (is_asked_for(all.views[i]) || (i < all.near && i < kPullViewsAtOnce))
      first.push_back(all.views[i]);
  return first;
}

// The first of all is always among them: it most likely has the commit.
std::vector<Coordinate> RefAligner::slice_of(const PullViews& all, std::size_t from) {
  std::vector<Coordinate> slice;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (i == 0 || (i >= from && i < from + kPullViewsAtOnce)) slice.push_back(all.views[i]);
  return slice;
}

// Of pull requests for the same views.
void RefAligner::align_alike(const std::vector<Coordinate>& views,
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

void RefAligner::find_holders(const std::vector<Coordinate>& views,
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
bool RefAligner::has_space_for(const Coordinate& view, const PullRequest& pull,
                               std::uint64_t bytes) const {
  if (hosting_.options.repository_bytes_max == 0) return true;
  const bool has_a_say = hosting_.ask([&](const grasp::Policy& policy) {
    return policy.catalog().authority(view).contains(pull.author);
  });
  return has_a_say || RepositorySpace(hosting_, view).left_for_strangers() >= bytes;
}

// Those whose commits are in `view` then.
std::vector<RefAligner::DuePull*> RefAligner::brought(const Coordinate& holder,
                                                      const Coordinate& view,
                                                      std::vector<DuePull*> pulls) {
  if (holder == view) return pulls;
  if (share_authority(view, holder)) {
    if (!has_space_for(view, pulls.front()->pull, 1)) return {};
    std::set<git::Oid> tips;
    for (const DuePull* one : pulls) tips.insert(*one->pull.commit);
    const bool copied = copy(hosting_.key(holder), view, {tips.begin(), tips.end()});
    return copied ? pulls : std::vector<DuePull*>();
  }
  const auto whole = whole_in(view, pulls);
  std::erase_if(pulls, [&](const DuePull* one) { return !whole.contains(*one->pull.commit); });
  return pulls;
}

// R1. One process tells of all of them.
std::set<git::Oid> RefAligner::whole_in(const Coordinate& view,
                                        const std::vector<DuePull*>& pulls) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  if (!repository) return {};
  std::set<git::Oid> found;
  for (const DuePull* one : pulls) found.insert(*one->pull.commit);
  for (const git::Oid& oid : repository->missing(std::vector(found.begin(), found.end())))
    found.erase(oid);
  std::erase_if(found, [&](const git::Oid& oid) { return !repository->has_commit(oid); });
  std::vector<git::Oid> unproven;
  for (const git::Oid& oid : found)
    if (proven_.view != view || !proven_.tips.contains(oid)) unproven.push_back(oid);
  const auto lacking = gitio::lacking(hosting_.path(view), unproven, kPullWalkPatience);
  if (!lacking) core::log::warn("cannot walk the history of {}: {}", view.path(), lacking.error());
  for (const git::Oid& oid : lacking ? *lacking : unproven) found.erase(oid);
  return found;
}

bool RefAligner::align_pr_repositories(const DuePull& one) {
  const PullRequest& pull = one.pull;
  const auto pr_repositories =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.pr_repositories_of(pull); });
  take_pr_repository_uploads(pull, pr_repositories);
  const auto pr_repository = std::ranges::find_if(pr_repositories, [&](const Coordinate& each) {
    return hosting_.pr_repositories.find(each, pull.id) == pull.commit;
  });
  if (pr_repository == pr_repositories.end()) return false;
  for (const Coordinate& view : one.views) {
    DuePull copied{pull, {view}};
    if (!has_space_for(view, pull, 1)) continue;
    if (copy(hosting_.pr_repositories.key(*pr_repository), view, {*pull.commit}))
      set_pull_refs(view, {&copied});
  }
  return true;
}

// Those that are not for it go as well: there will be no other event of this id.
void RefAligner::take_pr_repository_uploads(const PullRequest& pull,
                                            const std::vector<Coordinate>& pr_repositories) {
  const auto uploads = hosting_.ask(
      [&](const grasp::Policy& policy) { return policy.purgatory().uploads(pull.id); });
  for (const grasp::Upload& upload : uploads) {
    if (!upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(hosting_.options.root, upload.token);
    const bool wanted = upload.commit == *pull.commit &&
                        std::ranges::find(pr_repositories, upload.view) != pr_repositories.end();
    if (staging && wanted) {
      const auto put = hosting_.pr_repositories.put(upload.view, pull.id, upload.commit, *staging);
      if (!put)
        core::log::warn("cannot put an upload into {}: {}",
                        hosting_.pr_repositories.key(upload.view), put.error());
    }
    if (staging) staging->discard();
    hosting_.ask(
        [&](grasp::Policy& policy) { policy.purgatory().drop_upload(upload.token, changes_); });
  }
}

std::optional<Coordinate> RefAligner::take_upload(const PullRequest& pull,
                                                  const std::vector<Coordinate>& views) {
  const auto uploads = hosting_.ask(
      [&](const grasp::Policy& policy) { return policy.purgatory().uploads(pull.id); });
  std::optional<Coordinate> holder;
  for (const grasp::Upload& upload : uploads) {
    if (upload.in_pr_repository) continue;
    auto staging = gitio::Staging::reopen(hosting_.options.root, upload.token);
    const bool wanted =
        upload.commit == *pull.commit && std::ranges::find(views, upload.view) != views.end();
    bool moved = false;
    if (staging && wanted && !has_space_for(upload.view, pull, upload.bytes)) continue;  // it waits
    if (staging && wanted) {
      const auto guard = hosting_.views.lock(hosting_.key(upload.view));
      moved =
          hosting_.make_repository(upload.view) && staging->move_into(hosting_.path(upload.view));
    }
    if (moved && !holder) holder = upload.view;
    if (staging && (moved || !wanted)) staging->discard();
    hosting_.ask(
        [&](grasp::Policy& policy) { policy.purgatory().drop_upload(upload.token, changes_); });
  }
  return holder;
}

// A pull request may name several repositories, and people of the same name.
bool RefAligner::share_authority(const Coordinate& a, const Coordinate& b) const {
  return hosting_.ask([&](const grasp::Policy& policy) {
    const auto& of_a = policy.catalog().authority(a).members;
    const auto& of_b = policy.catalog().authority(b).members;
    return std::ranges::any_of(of_a, [&](const auto& key) { return of_b.contains(key); });
  });
}

// R8. Few transactions, and no look at the refs of others.
void RefAligner::set_pull_refs(const Coordinate& view, const std::vector<DuePull*>& pulls) {
  for (std::size_t at = 0; at < pulls.size(); at += kRefsAtOnce)
    set_some_pull_refs(view,
                       std::span(pulls).subspan(at, std::min(kRefsAtOnce, pulls.size() - at)));
}

void RefAligner::set_some_pull_refs(const Coordinate& view, std::span<DuePull* const> pulls) {
  const auto guard = hosting_.views.lock(hosting_.key(view));
  const auto repository = gitio::Repository::open(hosting_.path(view));
  if (!repository) return;
  std::vector<const PullRequest*> all;
  for (const DuePull* one : pulls) all.push_back(&one->pull);
  const auto unwanted = PullRefs(hosting_, view).unwanted(all);
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
  if (added > 0) PullRefs(hosting_, view).added(added);
}

// All at once; when git does not take that, halves, so that one ref in trouble is alone with it.
// Which were set.
std::vector<std::size_t> RefAligner::apply_most(const Coordinate& view,
                                                std::span<const git::RefUpdate> updates) {
  std::vector<std::size_t> done;
  if (updates.empty() || refusals_ >= kRefusalsMax) return done;
  const git::RefTransaction transaction{{updates.begin(), updates.end()}, std::nullopt};
  const bool is_set = updates.size() == 1
                          ? apply(view, transaction)
                          : static_cast<bool>(gitio::apply(hosting_.path(view), transaction));
  if (is_set) {
    for (std::size_t i = 0; i < updates.size(); ++i) done.push_back(i);
  } else if (++refusals_ >= kRefusalsMax) {
    result_.failed = true;
  } else if (updates.size() > 1) {
    const std::size_t middle = updates.size() / 2;
    done = apply_most(view, updates.first(middle));
    for (const std::size_t index : apply_most(view, updates.subspan(middle)))
      done.push_back(middle + index);
  }
  return done;
}

}  // namespace graspd::serve
