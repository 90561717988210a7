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

struct DeclaredVersion {
  std::optional<grasp::Ruling> ruling;
  std::optional<nostr::Version> served;
};

DeclaredVersion declared_version(const PolicySnapshot& policy, const Coordinate& view) {
  return {ruling_of(policy, view), policy.catalog().served_state(view)};
}

std::optional<DeclaredData> read_state(const store::EventStore& store,
                                       const DeclaredVersion& version) {
  if (!version.ruling) return std::nullopt;
  DeclaredData declared{*version.ruling, std::nullopt};
  if (version.served) declared.state = stored_state(store, version.served->id);
  const bool is_followed =
      declared.state && declared.state->satisfiable && !declared.state->refs.empty();
  if (!is_followed) declared.state.reset();
  return declared;
}

}  // namespace

bool DeclaredData::is_as_in(const DeclaredData& other) const {
  const auto id = [](const DeclaredData& declared) {
    return declared.state ? std::optional(declared.state->id) : std::nullopt;
  };
  return ruling.version.id == other.ruling.version.id && ruling.waiting == other.ruling.waiting &&
         id(*this) == id(other);
}

std::optional<grasp::Ruling> ruling_of(const PolicySnapshot& policy, const Coordinate& view) {
  const grasp::Listing* listing = policy.catalog().find(view);
  if (!listing || !listing->hosts || listing->place != grasp::Place::Served) return std::nullopt;
  return policy.ruling(view);
}

std::optional<DeclaredData> declared_data(const PolicySnapshot& policy,
                                          const store::EventStore& store, const Coordinate& view) {
  return read_state(store, declared_version(policy, view));
}

// No reader is held while the store is read.
std::optional<DeclaredData> declared_data(const Hosting& hosting, const Coordinate& view) {
  return read_state(hosting.store, declared_version(*hosting.known(), view));
}

std::optional<nostr::EventId> DataChecks::served_state(const Coordinate& view) const {
  const auto known = hosting_.known();
  const grasp::Listing* listing = known->catalog().find(view);
  const bool is_served = listing && listing->hosts && listing->place == grasp::Place::Served;
  const auto served = is_served ? known->catalog().served_state(view) : std::nullopt;
  return served ? std::optional(served->id) : std::nullopt;
}

DataChecks::Found DataChecks::known(const Coordinate& view) const {
  const auto state = served_state(view);
  if (!state) return kNothingDeclared;
  const auto stamp = gitio::RepositoryStamp::of(hosting_.path(view));
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(view);
  const bool holds =
      at != entries_.end() && at->second.state == *state && at->second.stamp == stamp;
  return holds ? at->second.found : nullptr;
}

DataChecks::Found DataChecks::check(const Coordinate& view) {
  const auto path = hosting_.path(view);
  const auto stamp = gitio::RepositoryStamp::of(path);
  const std::uint64_t thorough = gitio::thorough_stamp(path);
  const auto served = served_state(view);
  const auto declared = declared_data(hosting_, view);
  Found found = kNothingDeclared;
  if (declared && declared->state)
    found = std::make_shared<const DataFound>(look(view, *declared->state));
  std::lock_guard lock(mutex_);
  if (served && stamp.is_settled())
    entries_.insert_or_assign(view, Entry{stamp, thorough, *served, found});
  else
    entries_.erase(view);
  return found;
}

DataChecks::Found DataChecks::check_if_changed(const Coordinate& view) {
  const auto state = served_state(view);
  if (!state) return kNothingDeclared;
  const std::uint64_t thorough = gitio::thorough_stamp(hosting_.path(view));
  {
    std::lock_guard lock(mutex_);
    const auto at = entries_.find(view);
    if (at != entries_.end() && at->second.state == *state && at->second.thorough == thorough)
      return at->second.found;
  }
  return check(view);
}

// R1
DataFound DataChecks::look(const Coordinate& view, const grasp::RepoState& state) const {
  DataFound found{.declares = true};
  gitio::VerifyOptions options;
  options.problems_max = std::numeric_limits<std::size_t>::max();  // as many as the state has refs
  const auto path = hosting_.path(view);
  const auto quick = gitio::look_quickly(path, state.refs, state.head, options);
  if (!quick) {
    found.is_moved = true;
    found.lacking = hosting_.has_repository(view) ? "it cannot be read: " + quick.error()
                                                  : std::string("its folder is missing");
  } else {
    const bool was_there = hosting_.followed.contains(view, state.id);
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

void DataChecks::keep_only(const std::set<Coordinate>& views) {
  std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return !views.contains(entry.first); });
}

}  // namespace graspd::serve
