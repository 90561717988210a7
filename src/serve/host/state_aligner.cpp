// Rule numbers are those of serve/host/ref_aligner.h.
#include "serve/host/state_aligner.h"

#include <algorithm>

#include "core/log.h"
#include "git/align.h"
#include "gitio/connectivity.h"
#include "gitio/repository.h"
#include "gitio/share.h"
#include "gitio/staging.h"

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
  const auto all = repos();
  for (const Group& group : groups(all)) align(group);
  for (const Repo& repo : all)
    if (repo.waiting) clear_unsigned(repo.coordinate);
  release_superseded_states();
}

// R11. What is about to be released has the refs of the state that rules it.
void StateAligner::clear_unsigned(const Coordinate& repo) {
  if (!context_.hosting.has_repository(repo)) return;
  const auto guard = context_.hosting.repos.lock(context_.hosting.key(repo));
  const auto known = context_.hosting.known();
  if (known->is_served(repo) || !known->is_open(repo)) return;
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  if (!repository) return;
  const auto current = repository->heads_and_tags();
  if (!current || current->empty()) return;
  const auto ruling = known->ruling(repo);
  const auto state =
      ruling ? context_.hosting.find_state(ruling->version.id, repo.identifier) : std::nullopt;
  if (state && state->refs == *current) return;
  git::RefTransaction transaction;
  for (const auto& [ref, oid] : *current) transaction.updates.push_back({ref, oid, std::nullopt});
  if (context_.apply(repo, transaction)) context_.hosting.followed.forget(repo);
}

std::vector<StateAligner::Repo> StateAligner::repos() const {
  const auto known = context_.hosting.known();
  std::vector<Repo> all;
  for (const Coordinate& repo : context_.scope.repos)
    if (known->is_open(repo))
      all.push_back({repo, known->purgatory().announcement(repo) != nullptr, known->ruling(repo)});
  return all;
}

std::vector<StateAligner::Group> StateAligner::groups(const std::vector<Repo>& repos) const {
  std::map<nostr::EventId, Group> by_state;
  for (const Repo& repo : repos) {
    if (!repo.ruling) continue;
    const nostr::EventId& id = repo.ruling->version.id;
    if (!by_state.contains(id)) {
      auto state = context_.hosting.find_state(id, context_.identifier);
      if (!state) continue;
      by_state.emplace(id, Group{*std::move(state), repo.ruling->waiting, {}});
    }
    by_state.at(id).repos.push_back(repo);
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
  for (const Repo& repo : group.repos) {
    const bool here = repo.coordinate == *holder || has_whole(repo.coordinate, group.state.refs) ||
                      bring(*holder, repo.coordinate, tips);
    if (!here || !align(repo.coordinate, group.state)) continue;
    satisfied = true;
    if (!repo.waiting) continue;
    const auto known = context_.hosting.known();
    if (const auto* held = known->purgatory().announcement(repo.coordinate))
      context_.released.push_back(held->event);
  }
  if (!satisfied || !group.waiting) return;
  const auto known = context_.hosting.known();
  const auto* held = known->purgatory().state({group.state.author, context_.identifier});
  if (held && held->state.id == group.state.id) context_.released.push_back(held->event);
}

// R1. Who has it of those the state rules: of those asked for, or of the others. R5: Nobody waits
// for a look into repositories of strangers.
std::optional<Coordinate> StateAligner::holder_of(const Group& group) {
  const auto& refs = group.state.refs;
  for (const Repo& repo : group.repos)
    if (has_whole(repo.coordinate, refs)) return repo.coordinate;
  for (const Repo& repo : group.repos)
    if (adopt_uploads(repo.coordinate, refs) && has_whole(repo.coordinate, refs))
      return repo.coordinate;
  if (context_.scope.unheld && context_.scope.unheld->contains(group.state.id)) return std::nullopt;
  for (const Coordinate& repo : other_holders(group))
    if (!context_.is_asked_for(repo) && has_whole(repo, group.state.refs)) return repo;
  if (context_.scope.unheld) context_.scope.unheld->insert(group.state.id);
  return std::nullopt;
}

// R12. False when there was nothing to adopt.
bool StateAligner::adopt_uploads(const Coordinate& repo, const git::Refs& refs) {
  const auto uploads = context_.hosting.known()->purgatory().uploads().into(repo);
  if (uploads.empty()) return false;
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  const auto wanted = repository ? repository->missing(refs) : git::tips_of(refs);
  bool is_adopted = false;
  for (const grasp::Upload& upload : uploads) is_adopted |= adopt(upload, wanted);
  return is_adopted;
}

bool StateAligner::adopt(const grasp::Upload& upload, const std::vector<git::Oid>& wanted) {
  const auto staging = gitio::Staging::reopen(context_.hosting.options.root, upload.token);
  if (!staging) return false;
  const auto uploaded = gitio::Repository::open(staging->path());
  if (!uploaded) return false;
  auto tips = wanted;
  std::erase_if(tips, [&](const git::Oid& tip) { return !uploaded->has(tip); });
  if (tips.empty()) return false;
  const auto guard = context_.hosting.repos.lock(context_.hosting.key(upload.repo));
  const auto made = context_.hosting.make_repository(upload.repo);
  const auto copied =
      made ? gitio::copy_history(staging->path(), context_.hosting.path(upload.repo), tips)
           : core::Failure{made.error()};
  if (!copied)
    core::log::warn("cannot adopt an upload into {}: {}", upload.repo.path(), copied.error());
  return static_cast<bool>(copied);
}

std::vector<Coordinate> StateAligner::other_holders(const Group& group) const {
  const auto known = context_.hosting.known();
  auto alike = ruled_alike(*known, group.state, kHoldersMax);
  const auto is_near = [&](const Coordinate& other) {
    return context_.scope.patient || std::ranges::any_of(group.repos, [&](const Repo& repo) {
             return known->catalog().authority(repo.coordinate).contains(other.owner);
           });
  };
  std::erase_if(alike, [&](const Coordinate& repo) { return !is_near(repo); });
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

bool StateAligner::has_all(const Coordinate& repo, const git::Refs& refs) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  return repository && repository->missing(refs).empty();
}

bool StateAligner::has_whole(const Coordinate& repo, const git::Refs& refs) const {
  return has_all(repo, refs) && is_whole(repo, git::tips_of(refs));
}

// R1. What refs point to already was looked at when they were set.
bool StateAligner::is_whole(const Coordinate& repo, std::vector<git::Oid> tips) const {
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  const auto refs = repository ? repository->heads_and_tags()
                               : core::Result<git::Refs, std::string>(core::Failure{std::string()});
  if (!refs) return false;
  std::set<git::Oid> known;
  if (context_.proven.repo == repo) known = context_.proven.tips;
  for (const auto& [ref, oid] : *refs) known.insert(oid);
  std::erase_if(tips, [&](const git::Oid& tip) { return known.contains(tip); });
  const auto whole = gitio::is_connected(context_.hosting.path(repo), tips, kWalkPatience);
  if (!whole) core::log::warn("cannot walk the history of {}: {}", repo.path(), whole.error());
  return whole && *whole;
}

// R7
bool StateAligner::still_rules(const grasp::RepoState& state, const Coordinate& repo) const {
  const auto ruling = context_.hosting.known()->ruling(repo);
  return ruling && ruling->version.id == state.id;
}

bool StateAligner::align(const Coordinate& repo, const grasp::RepoState& state) {
  const auto guard = context_.hosting.repos.lock(context_.hosting.key(repo));
  if (!still_rules(state, repo)) return false;
  const auto repository = gitio::Repository::open(context_.hosting.path(repo));
  if (!repository) return false;
  const auto current = repository->heads_and_tags();
  if (!current) return false;
  const auto transaction = git::align(*current, state.refs, state.head, repository->head());
  if (transaction.empty()) {
    context_.hosting.followed.set(repo, state.id);
    return true;
  }
  if (makes_a_branch_of_something_else(transaction, *repository)) return false;
  if (!context_.apply(repo, transaction)) return false;
  context_.hosting.followed.set(repo, state.id);
  return true;
}

// R3. Each repository is opened once, however many states wait.
void StateAligner::release_superseded_states() {
  auto waiting = superseded_states();
  std::map<Coordinate, std::vector<Superseded*>> by_repo;
  for (Superseded& one : waiting)
    for (const Coordinate& repo : one.repos) by_repo[repo].push_back(&one);
  for (auto& [repo, all] : by_repo) {
    std::erase_if(all, [](const Superseded* one) { return one->is_here; });
    const auto repository = gitio::Repository::open(context_.hosting.path(repo));
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
  for (const Coordinate& repo : context_.scope.repos) {
    const grasp::Listing* listing = known->catalog().find(repo);
    if (!listing || listing->place != grasp::Place::Served) continue;
    if (const auto ruling = known->ruling(repo)) served.emplace_back(repo, ruling->version.id);
  }
  std::vector<Superseded> all;
  if (served.empty()) return all;
  for (const auto* held : known->purgatory().states().of(context_.identifier)) {
    const grasp::RepoState& state = held->state;
    if (!state.satisfiable || state.refs.empty()) continue;
    std::vector<Coordinate> repos;
    for (const auto& [repo, ruling] : served)
      if (ruling != state.id && known->catalog().authority(repo).contains(state.author))
        repos.push_back(repo);
    if (!repos.empty()) all.push_back({held->event, git::tips_of(state.refs), std::move(repos)});
  }
  return all;
}

}  // namespace graspd::serve
