#include "serve/host/ref_aligner.h"

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
// Repositories that are looked into for the data of one state. The likeliest come first.
constexpr std::size_t kHoldersMax = 16;
// Of a million objects a minute.
constexpr core::Duration kWalkPatience = std::chrono::minutes(30);

}  // namespace

RefAligner::Result RefAligner::run(AlignmentScope scope, Proven proven) {
  scope_ = std::move(scope);
  proven_ = std::move(proven);
  has_news_ = !scope_.state_of;
  // Each round may serve announcements on which the next depends; every round releases something.
  // Pull requests come when no state is left to be served (R2, R9).
  while (true) {
    for (const Group& group : groups(views())) align(group);
    release_superseded_states();
    if (release()) continue;
    align_pulls();
    if (!release()) break;
  }
  if (!scope_.patient && !scope_.views.empty()) look_for_more();
  return std::move(result_);
}

std::vector<RefAligner::View> RefAligner::views() const {
  return hosting_.ask([&](const grasp::Policy& policy) {
    std::vector<View> all;
    for (const Coordinate& view : scope_.views)
      if (policy.is_open(view))
        all.push_back(
            {view, policy.purgatory().announcement(view) != nullptr, policy.ruling(view)});
    return all;
  });
}

// R10
void RefAligner::look_for_more() {
  if (result_.unfinished) return;
  const auto is_asked = [&](const Coordinate& view) { return is_asked_for(view); };
  hosting_.ask([&](const grasp::Policy& policy) {
    const grasp::Catalog& catalog = policy.catalog();
    if (has_news_) {
      result_.unfinished = !std::ranges::all_of(catalog.views(identifier_), is_asked);
    } else if (auto ruled = catalog.all_views_ruled_by(*scope_.state_of, identifier_)) {
      result_.views_left = *std::move(ruled);
      std::erase_if(result_.views_left, is_asked);
    } else {
      result_.author_left = scope_.state_of;
    }
  });
}

bool RefAligner::is_asked_for(const Coordinate& view) const {
  return std::ranges::find(scope_.views, view) != scope_.views.end();
}

std::vector<RefAligner::Group> RefAligner::groups(const std::vector<View>& views) {
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

void RefAligner::align(const Group& group) {
  const auto holder = holder_of(group);
  if (!holder) return;
  const auto tips = git::tips_of(group.state.refs);
  bool satisfied = false;
  for (const View& view : group.views) {
    const bool here = view.coordinate == *holder || has_whole(view.coordinate, group.state.refs) ||
                      bring(*holder, view.coordinate, tips);
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

// R1. Who has it of those the state rules: of those asked for, or of the others. R5: Nobody waits
// for a look into repositories of strangers.
std::optional<Coordinate> RefAligner::holder_of(const Group& group) const {
  for (const View& view : group.views)
    if (has_whole(view.coordinate, group.state.refs)) return view.coordinate;
  if (scope_.unheld && scope_.unheld->contains(group.state.id)) return std::nullopt;
  const auto others = hosting_.ask([&](const grasp::Policy& policy) {
    auto alike = ruled_alike(policy, group.state, kHoldersMax);
    const auto is_near = [&](const Coordinate& other) {
      return scope_.patient || std::ranges::any_of(group.views, [&](const View& view) {
               return policy.catalog().authority(view.coordinate).contains(other.owner);
             });
    };
    std::erase_if(alike, [&](const Coordinate& view) { return !is_near(view); });
    return alike;
  });
  for (const Coordinate& view : others)
    if (!is_asked_for(view) && has_whole(view, group.state.refs)) return view;
  if (scope_.unheld) scope_.unheld->insert(group.state.id);
  return std::nullopt;
}

// R5
bool RefAligner::bring(const Coordinate& from, const Coordinate& to,
                       const std::vector<git::Oid>& tips) {
  const bool is_stranger = hosting_.ask([&](const grasp::Policy& policy) {
    return !policy.catalog().authority(from).contains(to.owner);
  });
  if (!is_stranger || scope_.patient) return copy(hosting_.key(from), to, tips);
  result_.unfinished = true;
  return false;
}

bool RefAligner::has_all(const Coordinate& view, const git::Refs& refs) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  return repository && repository->missing(refs).empty();
}

bool RefAligner::has_whole(const Coordinate& view, const git::Refs& refs) const {
  return has_all(view, refs) && is_whole(view, git::tips_of(refs));
}

// R1. What refs point to already was looked at when they were set.
bool RefAligner::is_whole(const Coordinate& view, std::vector<git::Oid> tips) const {
  const auto repository = gitio::Repository::open(hosting_.path(view));
  const auto refs = repository ? repository->heads_and_tags()
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

bool RefAligner::copy(const std::string& from, const Coordinate& to,
                      const std::vector<git::Oid>& tips) {
  const auto kept = hosting_.packs.lock_for(from, kLockPatience);
  const auto guard = kept ? hosting_.views.lock_for(hosting_.key(to), kLockPatience) : std::nullopt;
  if (!guard) return false;
  const auto made = hosting_.make_repository(to);
  const auto copied =
      made ? gitio::copy_history(hosting_.options.root / from, hosting_.path(to), tips)
           : core::Failure{made.error()};
  if (!copied)
    core::log::warn("cannot copy from {} to {}: {}", from, hosting_.key(to), copied.error());
  has_news_ |= static_cast<bool>(copied);
  return static_cast<bool>(copied);
}

// R7
bool RefAligner::still_rules(const grasp::RepoState& state, const Coordinate& view) const {
  const auto ruling =
      hosting_.ask([&](const grasp::Policy& policy) { return policy.ruling(view); });
  return ruling && ruling->version.id == state.id;
}

bool RefAligner::align(const Coordinate& view, const grasp::RepoState& state) {
  const auto guard = hosting_.views.lock(hosting_.key(view));
  if (!still_rules(state, view)) return false;
  const auto repository = gitio::Repository::open(hosting_.path(view));
  if (!repository) return false;
  const auto current = repository->heads_and_tags();
  if (!current) return false;
  const auto transaction = git::align(*current, state.refs, state.head, repository->head());
  if (transaction.empty()) {
    hosting_.followed.set(view, state.id);
    return true;
  }
  if (makes_a_branch_of_something_else(transaction, *repository)) return false;
  if (!apply(view, transaction)) return false;
  hosting_.followed.set(view, state.id);
  return true;
}

// All of it or nothing; what could not be set is tried again.
bool RefAligner::apply(const Coordinate& view, const git::RefTransaction& transaction) {
  const auto done = gitio::apply(hosting_.path(view), transaction);
  if (done) {
    result_.not_set.erase(view);
    return true;
  }
  core::log::error("cannot set refs in {}: {}", hosting_.key(view), done.error());
  result_.not_set.insert(view);
  result_.failed = true;
  return false;
}

// R3. Each repository is opened once, however many states wait.
void RefAligner::release_superseded_states() {
  auto waiting = superseded_states();
  std::map<Coordinate, std::vector<Superseded*>> by_view;
  for (Superseded& one : waiting)
    for (const Coordinate& view : one.views) by_view[view].push_back(&one);
  for (auto& [view, all] : by_view) {
    std::erase_if(all, [](const Superseded* one) { return one->is_here; });
    const auto repository = gitio::Repository::open(hosting_.path(view));
    if (all.empty() || !repository) continue;
    std::vector<git::Oid> sought;
    for (const Superseded* one : all) std::ranges::copy(one->tips, std::back_inserter(sought));
    const auto lacking = repository->missing(sought);  // in order
    for (Superseded* one : all)
      one->is_here = std::ranges::none_of(
          one->tips, [&](const git::Oid& tip) { return std::ranges::binary_search(lacking, tip); });
  }
  for (const Superseded& one : waiting)
    if (one.is_here) released_.push_back(one.event);
}

std::vector<RefAligner::Superseded> RefAligner::superseded_states() const {
  return hosting_.ask([&](const grasp::Policy& policy) {
    std::vector<std::pair<Coordinate, nostr::EventId>> served;  // and what rules them
    for (const Coordinate& view : scope_.views) {
      const grasp::Listing* listing = policy.catalog().find(view);
      if (!listing || listing->place != grasp::Place::Served) continue;
      if (const auto ruling = policy.ruling(view)) served.emplace_back(view, ruling->version.id);
    }
    std::vector<Superseded> all;
    if (served.empty()) return all;
    for (const auto* held : policy.purgatory().states(identifier_)) {
      const grasp::RepoState& state = held->state;
      if (!state.satisfiable || state.refs.empty()) continue;
      std::vector<Coordinate> views;
      for (const auto& [view, ruling] : served)
        if (ruling != state.id && policy.catalog().authority(view).contains(state.author))
          views.push_back(view);
      if (!views.empty()) all.push_back({held->event, git::tips_of(state.refs), std::move(views)});
    }
    return all;
  });
}

// R2. Announcements come first: what follows hangs on them.
bool RefAligner::release() {
  auto events = std::exchange(released_, {});
  store::Changes changes = changes_.take_writes();
  if (events.empty() && changes.empty()) return false;
  const auto others = std::ranges::stable_partition(events, [](const nostr::WireEventPtr& wire) {
    return wire->event.kind == grasp::kinds::kAnnouncement;
  });
  has_news_ |= others.size() < events.size();
  hosting_.ask([&](const grasp::Policy& policy) {
    for (const auto& wire : events)
      std::ranges::move(policy.notes_of_release(wire->event), std::back_inserter(changes));
  });
  const auto fates = hosting_.admit(events, std::move(changes));
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
