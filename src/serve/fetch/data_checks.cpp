#include "serve/fetch/data_checks.h"

#include <algorithm>
#include <limits>

#include "gitio/verify.h"
#include "serve/fetch/verification_words.h"
#include "serve/host/stored_events.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::PolicySnapshot;

const DataChecks::Found kNothingDeclared = std::make_shared<const DataFound>();

bool is_gone(const gitio::Problem& problem) {
  return problem.kind == gitio::ProblemKind::RefMissing ||
         problem.kind == gitio::ProblemKind::ObjectMissing;
}

}  // namespace

bool DeclaredData::is_as_in(const DeclaredData& other) const {
  const auto id = [](const DeclaredData& declared) {
    return declared.state ? std::optional(declared.state->id) : std::nullopt;
  };
  return ruling.version.id == other.ruling.version.id && ruling.waiting == other.ruling.waiting &&
         id(*this) == id(other);
}

std::optional<grasp::Ruling> ruling_of(const PolicySnapshot& policy, const Coordinate& coordinate) {
  const grasp::Listing* listing = policy.catalog().find(coordinate);
  if (!listing || !listing->hosts || listing->place != grasp::Place::Served) return std::nullopt;
  return policy.ruling(coordinate);
}

std::optional<DeclaredData> declared_data(const PolicySnapshot& policy,
                                          const store::EventStore& store,
                                          const Coordinate& coordinate) {
  const auto ruling = ruling_of(policy, coordinate);
  if (!ruling) return std::nullopt;
  DeclaredData declared{*ruling, std::nullopt};
  const auto served = policy.catalog().served_state(coordinate);
  if (served) declared.state = stored_state(store, served->id);
  const bool is_followed =
      declared.state && declared.state->satisfiable && !declared.state->refs.empty();
  if (!is_followed) declared.state.reset();
  return declared;
}

std::optional<DeclaredData> declared_data(const Hosting& hosting, const Coordinate& coordinate) {
  return declared_data(*hosting.known(), hosting.store, coordinate);
}

std::optional<nostr::EventId> DataChecks::served_state(const Coordinate& coordinate) const {
  const auto known = hosting_.known();
  const grasp::Listing* listing = known->catalog().find(coordinate);
  const bool is_served = listing && listing->hosts && listing->place == grasp::Place::Served;
  const auto served = is_served ? known->catalog().served_state(coordinate) : std::nullopt;
  return served ? std::optional(served->id) : std::nullopt;
}

DataChecks::Found DataChecks::known(const Coordinate& coordinate) const {
  const auto state = served_state(coordinate);
  if (!state) return kNothingDeclared;
  const auto stamp = gitio::RepositoryStamp::of(hosting_.path(coordinate));
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(coordinate);
  const bool holds =
      at != entries_.end() && at->second.state == *state && at->second.stamp == stamp;
  return holds ? at->second.found : nullptr;
}

DataChecks::Found DataChecks::check(const Coordinate& coordinate) {
  const auto path = hosting_.path(coordinate);
  const auto stamp = gitio::RepositoryStamp::of(path);
  const std::uint64_t thorough = gitio::thorough_stamp(path);
  const auto served = served_state(coordinate);
  const auto declared = declared_data(hosting_, coordinate);
  Found found = kNothingDeclared;
  if (declared && declared->state)
    found = std::make_shared<const DataFound>(look(coordinate, *declared->state));
  std::lock_guard lock(mutex_);
  if (served && stamp.is_settled())
    entries_.insert_or_assign(coordinate, Entry{stamp, thorough, *served, found});
  else
    entries_.erase(coordinate);
  return found;
}

DataChecks::Found DataChecks::check_if_changed(const Coordinate& coordinate) {
  const auto state = served_state(coordinate);
  if (!state) return kNothingDeclared;
  const std::uint64_t thorough = gitio::thorough_stamp(hosting_.path(coordinate));
  {
    std::lock_guard lock(mutex_);
    const auto at = entries_.find(coordinate);
    if (at != entries_.end() && at->second.state == *state && at->second.thorough == thorough)
      return at->second.found;
  }
  return check(coordinate);
}

// R1
DataFound DataChecks::look(const Coordinate& coordinate, const grasp::RepoState& state) const {
  DataFound found{.declares = true};
  gitio::VerifyOptions options;
  options.problems_max = std::numeric_limits<std::size_t>::max();  // as many as the state has refs
  const auto path = hosting_.path(coordinate);
  const auto quick = gitio::look_quickly(path, state.refs, state.head, options);
  if (!quick) {
    found.is_moved = true;
    found.lacking = hosting_.has_repository(coordinate) ? "it cannot be read: " + quick.error()
                                                        : std::string("its folder is missing");
  } else {
    const bool was_there = hosting_.followed.contains(coordinate, state.id);
    const auto& problems = quick->verification.problems;
    found.is_moved = has_wrong_refs(quick->verification);
    found.made_of = quick->fingerprint;
    if (quick->is_empty)
      found.lacking = "all of its branches and tags are missing";
    else if (quick->is_hollow || (was_there && std::ranges::any_of(problems, is_gone)))
      found.lacking = describe(quick->verification);
  }
  if (!found.lacking.empty()) found.tips = git::tips_of(state.refs);
  return found;
}

void DataChecks::keep_only(const std::set<Coordinate>& coordinates) {
  std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return !coordinates.contains(entry.first); });
}

}  // namespace graspd::serve
