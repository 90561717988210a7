#include "serve/family_settlement.h"

#include <algorithm>

#include "core/log.h"
#include "git/align.h"
#include "gitio/connectivity.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "gitio/share.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;

// R6. Git would refuse it.
bool makes_a_branch_of_something_else(const git::RefTransaction& transaction,
                                      const gitio::Repository& repository) {
  return std::ranges::any_of(transaction.updates, [&](const git::RefUpdate& update) {
    return update.new_oid && update.ref.space() == git::RefName::Space::Heads &&
           !repository.has_commit(*update.new_oid);
  });
}

// Long enough for any copy; a push holds the lock of a view only to move files.
constexpr core::Duration kLockPatience = std::chrono::minutes(10);
// Of a million objects a minute.
constexpr core::Duration kWalkPatience = std::chrono::minutes(30);

constexpr git::RefName::Space kEverySpace[] = {
    git::RefName::Space::Heads, git::RefName::Space::Tags, git::RefName::Space::Nostr};

}  // namespace

FamilySettlement::Result FamilySettlement::run(std::size_t views_max, Proven proven,
                                               std::vector<nostr::EventId> lost_pulls) {
  const auto turn = hosting_.families.lock(identifier_.text());
  proven_ = std::move(proven);
  lost_pulls_ = std::move(lost_pulls);
  views_max_ = views_max;
  // Each round may serve announcements on which the next depends; every round releases something.
  do {
    const auto all = views();
    make_repositories(all);
    for (const Group& group : groups(all)) settle(group);
    settle_bystanders();
    const bool states = release();
    settle_pulls();
    if (!release() && !states) break;
  } while (true);
  return std::move(result_);
}

std::vector<FamilySettlement::View> FamilySettlement::views() const {
  return hosting_.ask([&](const grasp::Policy& policy) {
    std::vector<View> all;
    for (const Coordinate& view : policy.catalog().views(identifier_))
      if (policy.is_open(view))
        all.push_back({view, policy.purgatory().announcement(view) != nullptr,
                       policy.catalog().authority(view).contains(view.owner), policy.ruling(view)});
    std::ranges::stable_partition(all, [](const View& view) { return view.own; });
    return all;
  });
}

void FamilySettlement::make_repositories(const std::vector<View>& views) {
  for (const View& view : views) hosting_.make_repository(view.coordinate);
}

std::vector<FamilySettlement::Group> FamilySettlement::groups(const std::vector<View>& views) {
  std::map<nostr::EventId, Group> by_state;
  for (const View& view : views) {
    if (!view.ruling) continue;
    const nostr::EventId& id = view.ruling->version.id;
    if (!by_state.contains(id)) {
      auto state = hosting_.ask([&](auto& policy) { return policy.find_state(id, identifier_); });
      if (!state) continue;
      by_state.emplace(id, Group{*std::move(state), view.ruling->waiting, {}});
    }
    by_state.at(id).views.push_back(view);
  }
  std::vector<Group> groups;
  for (auto& [id, group] : by_state)
    if (group.state.satisfiable && !group.state.refs.empty()) groups.push_back(std::move(group));
  return groups;
}

void FamilySettlement::settle(const Group& group) {
  const auto views = first_of(group.views);
  const auto holder = std::ranges::find_if(
      views, [&](const View& view) { return has_whole(view.coordinate, group.state.refs); });
  if (holder == views.end()) return;
  const auto tips = git::tips_of(group.state.refs);
  bool satisfied = false;
  for (const View& view : views) {
    const bool here = view.coordinate == holder->coordinate ||
                      has_whole(view.coordinate, group.state.refs) ||
                      copy(hosting_.key(holder->coordinate), hosting_.key(view.coordinate), tips);
    if (!here || !align(view.coordinate, group.state)) continue;
    satisfied = true;
    if (!view.waiting) continue;
    hosting_.ask([&](const grasp::Policy& policy) {
      if (const auto* held = policy.purgatory().announcement(view.coordinate))
        released_.push_back(held->event);
    });
  }
  if (!satisfied || !group.waiting) return;
  hosting_.ask([&](const grasp::Policy& policy) {
    const auto* held = policy.purgatory().state({group.state.author, identifier_});
    if (held && held->state.id == group.state.id) released_.push_back(held->event);
  });
}

std::span<const FamilySettlement::View> FamilySettlement::first_of(const std::vector<View>& views) {
  if (views.size() > views_max_) result_.unfinished = true;
  return std::span(views).first(std::min(views.size(), views_max_));
}

bool FamilySettlement::has_all(const Coordinate& view, const git::Refs& refs) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  return repository && repository->missing(refs).empty();
}

bool FamilySettlement::has_whole(const Coordinate& view, const git::Refs& refs) const {
  return has_all(view, refs) && is_whole(view, git::tips_of(refs));
}

// R1. What refs point to already was looked at when they were set.
bool FamilySettlement::is_whole(const Coordinate& view, std::vector<git::Oid> tips) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  const auto refs = repository ? repository->refs(kEverySpace)
                               : core::Result<git::Refs, std::string>(core::Failure{std::string()});
  if (!refs) return false;
  std::set<git::Oid> known;
  if (proven_.view == view) known = proven_.tips;
  for (const auto& [ref, oid] : *refs) known.insert(oid);
  std::erase_if(tips, [&](const git::Oid& tip) { return known.contains(tip); });
  const auto whole = gitio::is_connected(hosting_.path(view), tips, kWalkPatience);
  if (!whole) core::log::warn("cannot walk the history of {}: {}", view.path(), whole.error());
  return whole && *whole;
}

bool FamilySettlement::copy(const std::string& from, const std::string& to,
                            const std::vector<git::Oid>& tips) {
  const auto guards = hosting_.views.lock_all({from, to}, kLockPatience);
  if (!guards) return false;
  const auto& root = hosting_.options.root;
  const auto copied = gitio::copy_history(root / from, root / to, tips);
  if (!copied) core::log::warn("cannot copy from {} to {}: {}", from, to, copied.error());
  return static_cast<bool>(copied);
}

bool FamilySettlement::align(const Coordinate& view, const grasp::RepoState& state) {
  const auto guard = hosting_.views.lock(hosting_.key(view));
  const auto repository = gitio::Repository::open(hosting_.path(view));
  if (!repository) return false;
  const auto current = repository->heads_and_tags();
  if (!current) return false;
  const auto transaction = git::align(*current, state.refs, state.head, repository->head());
  if (transaction.empty()) return true;
  if (makes_a_branch_of_something_else(transaction, *repository)) return false;
  const auto done = gitio::apply(hosting_.path(view), transaction);
  if (!done) core::log::error("cannot align {}: {}", hosting_.key(view), done.error());
  return static_cast<bool>(done);
}

void FamilySettlement::settle_bystanders() {
  struct Bystander {
    nostr::WireEventPtr event;
    git::Refs refs;
    std::vector<Coordinate> views;
  };
  const auto waiting = hosting_.ask([&](const grasp::Policy& policy) {
    std::vector<Bystander> all;
    for (const auto* held : policy.purgatory().states(identifier_)) {
      if (!held->state.satisfiable || held->state.refs.empty()) continue;
      Bystander one{held->event, held->state.refs, {}};
      for (const Coordinate& view :
           policy.catalog().views_ruled_by(held->state.author, identifier_)) {
        const auto ruling = policy.ruling(view);
        const bool served = policy.catalog().find(view)->place == grasp::Place::Served;
        if (served && ruling && ruling->version.id != held->state.id) one.views.push_back(view);
      }
      if (!one.views.empty()) all.push_back(std::move(one));
    }
    return all;
  });
  for (const Bystander& one : waiting) {
    const auto holds = [&](const Coordinate& view) { return has_all(view, one.refs); };
    if (std::ranges::any_of(one.views, holds)) released_.push_back(one.event);
  }
}

// R2. Announcements come first: what follows hangs on them.
bool FamilySettlement::release() {
  auto events = std::exchange(released_, {});
  relay::Effects effects{std::exchange(notes_, {}), {}};
  if (events.empty() && effects.notes.empty()) return false;
  std::ranges::stable_partition(events, [](const nostr::WireEventPtr& wire) {
    return wire->event.kind == grasp::kinds::kAnnouncement;
  });
  hosting_.ask([&](const grasp::Policy& policy) {
    for (const auto& wire : events)
      std::ranges::move(policy.notes_of_release(wire->event), std::back_inserter(effects.notes));
  });
  const auto fates = hosting_.admit(events, std::move(effects));
  if (!fates) {
    result_.failed = true;
    return false;
  }
  hosting_.ask([&](grasp::Policy& policy) {
    for (std::size_t i = 0; i < events.size(); ++i)
      policy.released(events[i], (*fates)[i].outcome, result_.changes);
  });
  return !events.empty();
}

}  // namespace graspd::serve
