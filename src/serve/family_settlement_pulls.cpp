// Pull requests: from where their commits lie into the views they are about.
#include <algorithm>
#include <ranges>

#include "core/log.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "serve/family_settlement.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PullRequest;

// Views that get the commit of one pull request before others have their turn.
constexpr std::size_t kPullViewsAtOnce = 16;

}  // namespace

void FamilySettlement::settle_pulls() {
  auto pulls = scope_.pulls;
  if (!scope_.patient) {
    const auto waiting = hosting_.ask(
        [&](const grasp::Policy& policy) { return policy.purgatory().pulls(identifier_); });
    for (const nostr::EventId& id : waiting | std::views::take(kPullsAtOnce)) {
      const bool is_named = std::ranges::find(pulls, id, &PullScope::id) != pulls.end();
      if (!is_named) pulls.push_back({id});
    }
  }
  for (const auto& [id, from] : pulls) {
    const auto pull =
        hosting_.ask([&](const grasp::Policy& policy) { return policy.find_pull(id); });
    if (!pull || !pull->commit || !settle_pull(*pull, from)) continue;
    hosting_.ask([&](const grasp::Policy& policy) {
      if (const auto* held = policy.purgatory().pull(id)) released_.push_back(held->event);
    });
  }
}

// R4, R5
bool FamilySettlement::settle_pull(const PullRequest& pull, std::size_t from) {
  const auto all =
      hosting_.ask([&](const grasp::Policy& policy) { return views_by_nearness(policy, pull); });
  const auto views = scope_.patient ? slice_of(all, from) : first_of(all);
  const bool in_trays = settle_in_trays(pull, views);
  const auto uploaded_to = all.views.empty() ? std::nullopt : take_upload(pull, all.views);
  const bool is_visible = settle_in_views(pull, views, uploaded_to) || in_trays;
  const std::size_t next = scope_.patient ? from + kPullViewsAtOnce : 0;
  const bool is_left = scope_.patient ? next < all.views.size() : views.size() < all.views.size();
  std::erase_if(result_.pulls_left, [&](const PullScope& left) { return left.id == pull.id; });
  if (is_left && (is_visible || scope_.patient)) result_.pulls_left.push_back({pull.id, next});
  return is_visible;
}

// Those that are asked for, and those of the people it is addressed to.
std::vector<Coordinate> FamilySettlement::first_of(const PullViews& all) const {
  std::vector<Coordinate> first;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (is_asked_for(all.views[i]) || (i < all.near && i < kPullViewsAtOnce))
      first.push_back(all.views[i]);
  return first;
}

// The first of all is always among them: it most likely has the commit.
std::vector<Coordinate> FamilySettlement::slice_of(const PullViews& all, std::size_t from) {
  std::vector<Coordinate> slice;
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (i == 0 || (i >= from && i < from + kPullViewsAtOnce)) slice.push_back(all.views[i]);
  return slice;
}

bool FamilySettlement::settle_in_views(const PullRequest& pull,
                                       const std::vector<Coordinate>& views,
                                       std::optional<Coordinate> holder) {
  if (!holder) {
    const auto at =
        std::ranges::find_if(views, [&](const auto& view) { return holds(view, pull); });
    if (at == views.end()) return false;
    holder = *at;
  }
  bool visible = set_pull_ref(*holder, pull);
  for (const Coordinate& view : views) {
    if (view == *holder) continue;
    const bool here = share_authority(view, *holder)
                          ? copy(hosting_.key(*holder), hosting_.key(view), {*pull.commit})
                          : holds(view, pull);
    if (here) visible |= set_pull_ref(view, pull);
  }
  return visible;
}

bool FamilySettlement::settle_in_trays(const PullRequest& pull,
                                       const std::vector<Coordinate>& views) {
  const auto trays =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.trays_of(pull); });
  take_tray_uploads(pull, trays);
  const auto tray = std::ranges::find_if(trays, [&](const Coordinate& one) {
    return hosting_.trays.find(one, pull.id) == pull.commit;
  });
  if (tray == trays.end()) return false;
  for (const Coordinate& view : views)
    if (copy(hosting_.trays.key(*tray), hosting_.key(view), {*pull.commit}))
      set_pull_ref(view, pull);
  return true;
}

// Those that are not for it go as well: there will be no other event of this id.
void FamilySettlement::take_tray_uploads(const PullRequest& pull,
                                         const std::vector<Coordinate>& trays) {
  const auto uploads = hosting_.ask(
      [&](const grasp::Policy& policy) { return policy.purgatory().uploads(pull.id); });
  for (const grasp::Upload& upload : uploads) {
    if (!upload.in_tray) continue;
    auto staging = gitio::Staging::reopen(hosting_.options.root, upload.token);
    const bool wanted =
        upload.commit == *pull.commit && std::ranges::find(trays, upload.view) != trays.end();
    if (staging && wanted) {
      const auto put = hosting_.trays.put(upload.view, pull.id, upload.commit, *staging);
      if (!put)
        core::log::warn("cannot put an upload into {}: {}", hosting_.trays.key(upload.view),
                        put.error());
    }
    if (staging) staging->discard();
    hosting_.ask(
        [&](grasp::Policy& policy) { policy.purgatory().drop_upload(upload.token, notes_); });
  }
}

bool FamilySettlement::holds(const Coordinate& view, const PullRequest& pull) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  return repository && repository->has_commit(*pull.commit) && is_whole(view, {*pull.commit});
}

std::optional<Coordinate> FamilySettlement::take_upload(const PullRequest& pull,
                                                        const std::vector<Coordinate>& views) {
  const auto uploads = hosting_.ask(
      [&](const grasp::Policy& policy) { return policy.purgatory().uploads(pull.id); });
  std::optional<Coordinate> holder;
  for (const grasp::Upload& upload : uploads) {
    if (upload.in_tray) continue;
    auto staging = gitio::Staging::reopen(hosting_.options.root, upload.token);
    const bool wanted =
        upload.commit == *pull.commit && std::ranges::find(views, upload.view) != views.end();
    bool moved = false;
    if (staging && wanted) {
      const auto guard = hosting_.views.lock(hosting_.key(upload.view));
      moved = static_cast<bool>(staging->move_into(hosting_.path(upload.view)));
    }
    if (moved && !holder) holder = upload.view;
    if (staging && (moved || !wanted)) staging->discard();
    hosting_.ask(
        [&](grasp::Policy& policy) { policy.purgatory().drop_upload(upload.token, notes_); });
  }
  return holder;
}

// A pull request may name several repositories, and people of the same name.
bool FamilySettlement::share_authority(const Coordinate& a, const Coordinate& b) const {
  return hosting_.ask([&](const grasp::Policy& policy) {
    const auto& of_a = policy.catalog().authority(a).members;
    const auto& of_b = policy.catalog().authority(b).members;
    return std::ranges::any_of(of_a, [&](const auto& key) { return of_b.contains(key); });
  });
}

bool FamilySettlement::set_pull_ref(const Coordinate& view, const PullRequest& pull) {
  const auto guard = hosting_.views.lock(hosting_.key(view));
  const auto repository = gitio::Repository::open(hosting_.path(view));
  if (!repository || !repository->has_commit(*pull.commit)) return false;
  const git::RefName ref = pull_ref(pull.id);
  const git::RefName::Space nostr[] = {git::RefName::Space::Nostr};
  const auto refs = repository->refs(nostr);
  if (!refs) return false;
  const auto at = refs->find(ref);
  if (at != refs->end() && at->second == *pull.commit) return true;
  git::RefUpdate update{ref, std::nullopt, pull.commit};
  if (at != refs->end()) update.old_oid = at->second;
  return apply(view, {{update}, std::nullopt});
}

}  // namespace graspd::serve
