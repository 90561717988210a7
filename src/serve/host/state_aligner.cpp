// Rule numbers are those of serve/host/ref_aligner.h.
#include "serve/host/state_aligner.h"

#include <algorithm>

#include "core/log.h"
#include "git/align.h"
#include "gitio/connectivity.h"
#include "gitio/repository.h"

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

// Repositories that are looked into for the data of one state. The likeliest come first.
constexpr std::size_t kHoldersMax = 16;
// Of a million objects a minute.
constexpr core::Duration kWalkPatience = std::chrono::minutes(30);

}  // namespace

void StateAligner::align() {
  for (const Group& group : groups(views())) align(group);
  release_superseded_states();
}

std::vector<StateAligner::View> StateAligner::views() const {
  const auto known = context_.hosting.known();
  std::vector<View> all;
  for (const Coordinate& view : context_.scope.views)
    if (known->is_open(view))
      all.push_back({view, known->purgatory().announcement(view) != nullptr, known->ruling(view)});
  return all;
}

std::vector<StateAligner::Group> StateAligner::groups(const std::vector<View>& views) const {
  std::map<nostr::EventId, Group> by_state;
  for (const View& view : views) {
    if (!view.ruling) continue;
    const nostr::EventId& id = view.ruling->version.id;
    if (!by_state.contains(id)) {
      auto state = context_.hosting.find_state(id, context_.identifier);
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

void StateAligner::align(const Group& group) {
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
    const auto known = context_.hosting.known();
    if (const auto* held = known->purgatory().announcement(view.coordinate))
      context_.released.push_back(held->event);
  }
  if (!satisfied || !group.waiting) return;
  const auto known = context_.hosting.known();
  const auto* held = known->purgatory().state({group.state.author, context_.identifier});
  if (held && held->state.id == group.state.id) context_.released.push_back(held->event);
}

// R1. Who has it of those the state rules: of those asked for, or of the others. R5: Nobody waits
// for a look into repositories of strangers.
std::optional<Coordinate> StateAligner::holder_of(const Group& group) const {
  for (const View& view : group.views)
    if (has_whole(view.coordinate, group.state.refs)) return view.coordinate;
  if (context_.scope.unheld && context_.scope.unheld->contains(group.state.id)) return std::nullopt;
  for (const Coordinate& view : other_holders(group))
    if (!context_.is_asked_for(view) && has_whole(view, group.state.refs)) return view;
  if (context_.scope.unheld) context_.scope.unheld->insert(group.state.id);
  return std::nullopt;
}

std::vector<Coordinate> StateAligner::other_holders(const Group& group) const {
  const auto known = context_.hosting.known();
  auto alike = ruled_alike(*known, group.state, kHoldersMax);
  const auto is_near = [&](const Coordinate& other) {
    return context_.scope.patient || std::ranges::any_of(group.views, [&](const View& view) {
             return known->catalog().authority(view.coordinate).contains(other.owner);
           });
  };
  std::erase_if(alike, [&](const Coordinate& view) { return !is_near(view); });
  return alike;
}

// R5
bool StateAligner::bring(const Coordinate& from, const Coordinate& to,
                         const std::vector<git::Oid>& tips) {
  const bool is_stranger = !context_.hosting.known()->catalog().authority(from).contains(to.owner);
  if (!is_stranger || context_.scope.patient)
    return context_.copy(context_.hosting.key(from), to, tips);
  context_.result.unfinished = true;
  return false;
}

bool StateAligner::has_all(const Coordinate& view, const git::Refs& refs) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(view));
  return repository && repository->missing(refs).empty();
}

bool StateAligner::has_whole(const Coordinate& view, const git::Refs& refs) const {
  return has_all(view, refs) && is_whole(view, git::tips_of(refs));
}

// R1. What refs point to already was looked at when they were set.
bool StateAligner::is_whole(const Coordinate& view, std::vector<git::Oid> tips) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(view));
  const auto refs = repository ? repository->heads_and_tags()
                               : core::Result<git::Refs, std::string>(core::Failure{std::string()});
  if (!refs) return false;
  std::set<git::Oid> known;
  if (context_.proven.view == view) known = context_.proven.tips;
  for (const auto& [ref, oid] : *refs) known.insert(oid);
  std::erase_if(tips, [&](const git::Oid& tip) { return known.contains(tip); });
  const auto whole = gitio::is_connected(context_.hosting.path(view), tips, kWalkPatience);
  if (!whole) core::log::warn("cannot walk the history of {}: {}", view.path(), whole.error());
  return whole && *whole;
}

// R7
bool StateAligner::still_rules(const grasp::RepoState& state, const Coordinate& view) const {
  const auto ruling = context_.hosting.known()->ruling(view);
  return ruling && ruling->version.id == state.id;
}

bool StateAligner::align(const Coordinate& view, const grasp::RepoState& state) {
  const auto guard = context_.hosting.views.lock(context_.hosting.key(view));
  if (!still_rules(state, view)) return false;
  const auto repository = gitio::Repository::open(context_.hosting.path(view));
  if (!repository) return false;
  const auto current = repository->heads_and_tags();
  if (!current) return false;
  const auto transaction = git::align(*current, state.refs, state.head, repository->head());
  if (transaction.empty()) {
    context_.hosting.followed.set(view, state.id);
    return true;
  }
  if (makes_a_branch_of_something_else(transaction, *repository)) return false;
  if (!context_.apply(view, transaction)) return false;
  context_.hosting.followed.set(view, state.id);
  return true;
}

// R3. Each repository is opened once, however many states wait.
void StateAligner::release_superseded_states() {
  auto waiting = superseded_states();
  std::map<Coordinate, std::vector<Superseded*>> by_view;
  for (Superseded& one : waiting)
    for (const Coordinate& view : one.views) by_view[view].push_back(&one);
  for (auto& [view, all] : by_view) {
    std::erase_if(all, [](const Superseded* one) { return one->is_here; });
    const auto repository = gitio::Repository::open(context_.hosting.path(view));
    if (all.empty() || !repository) continue;
    std::vector<git::Oid> sought;
    for (const Superseded* one : all) std::ranges::copy(one->tips, std::back_inserter(sought));
    const auto lacking = repository->missing(sought);  // in order
    for (Superseded* one : all)
      one->is_here = std::ranges::none_of(
          one->tips, [&](const git::Oid& tip) { return std::ranges::binary_search(lacking, tip); });
  }
  for (const Superseded& one : waiting)
    if (one.is_here) context_.released.push_back(one.event);
}

std::vector<StateAligner::Superseded> StateAligner::superseded_states() const {
  const auto known = context_.hosting.known();
  std::vector<std::pair<Coordinate, nostr::EventId>> served;  // and what rules them
  for (const Coordinate& view : context_.scope.views) {
    const grasp::Listing* listing = known->catalog().find(view);
    if (!listing || listing->place != grasp::Place::Served) continue;
    if (const auto ruling = known->ruling(view)) served.emplace_back(view, ruling->version.id);
  }
  std::vector<Superseded> all;
  if (served.empty()) return all;
  for (const auto* held : known->purgatory().states(context_.identifier)) {
    const grasp::RepoState& state = held->state;
    if (!state.satisfiable || state.refs.empty()) continue;
    std::vector<Coordinate> views;
    for (const auto& [view, ruling] : served)
      if (ruling != state.id && known->catalog().authority(view).contains(state.author))
        views.push_back(view);
    if (!views.empty()) all.push_back({held->event, git::tips_of(state.refs), std::move(views)});
  }
  return all;
}

}  // namespace graspd::serve
