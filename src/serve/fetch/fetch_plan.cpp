#include "serve/fetch/fetch_plan.h"

#include <utility>

#include "net/clock.h"
#include "serve/fetch/fetch_report.h"
#include "serve/runtime/random.h"

namespace graspd::serve {

using namespace git::fetch;
using grasp::Coordinate;
using grasp::Identifier;

FetchPlan::FetchPlan(Options options, Perform perform)
    : perform_(std::move(perform)), scheduler_(std::move(options), core::Rng(random_seed())) {}

void FetchPlan::tell(const Input& input) {
  std::lock_guard lock(mutex_);
  step(input);
}

void FetchPlan::step(const Input& input) {
  for (const Action& action : scheduler_.step(net::now(), input)) perform_(action);
}

std::optional<Ticket> FetchPlan::begin_visit(const git::FetchUrl& url) {
  std::lock_guard lock(mutex_);
  return scheduler_.begin_visit(net::now(), url);
}

void FetchPlan::set_wants(const Identifier& identifier, const std::vector<FetchWant>& wants) {
  std::lock_guard lock(mutex_);
  std::set<EventKey> gone;
  for (const auto& [event, told] : told_)
    if (told.coordinate.identifier == identifier && !told.ordered) gone.insert(event);
  for (const FetchWant& one : wants) {
    gone.erase(one.wanted.event);
    want(one.wanted, {one.coordinate, one.wanted.reason, false, std::nullopt});
  }
  for (const EventKey& event : gone) forget(event);
}

void FetchPlan::set_repairs(const Coordinate& coordinate, const std::vector<RepairOrder>& orders) {
  std::lock_guard lock(mutex_);
  std::set<EventKey> over;
  for (const auto& [event, told] : told_)
    if (told.coordinate == coordinate && told.ordered) over.insert(event);
  for (const RepairOrder& order : orders) {
    over.erase(order.wanted.event);
    want(order.wanted, {coordinate, order.wanted.reason, true, order.pull});
  }
  for (const EventKey& event : over) forget(event);
}

void FetchPlan::want(const Wanted& wanted, Told told) {
  const auto known = told_.find(wanted.event);
  if (known != told_.end() && known->second.coordinate != told.coordinate)
    forget(wanted.event);
  else if (known != told_.end())
    told.extensions = known->second.extensions;
  coordinates_.insert_or_assign(wanted.repo, told.coordinate);
  const std::uint64_t refused = scheduler_.meter().refused;
  const auto at = told_.insert_or_assign(wanted.event, std::move(told)).first;
  step(wanted);
  if (scheduler_.meter().refused > refused) put_off_.insert(at->second.coordinate.identifier);
  if (!scheduler_.wants(wanted.repo, wanted.event)) told_.erase(wanted.event);
}

void FetchPlan::forget(const EventKey& event) {
  const auto told = told_.extract(event);
  if (!told.empty()) step(NoLongerWanted{{told.mapped().coordinate.path()}, event});
}

std::optional<Coordinate> FetchPlan::repo_of(const RepoKey& repo) const {
  std::lock_guard lock(mutex_);
  const auto at = coordinates_.find(repo);
  return at == coordinates_.end() ? std::nullopt : std::optional(at->second);
}

bool FetchPlan::is_for_pulls_only(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  for (const auto& [event, told] : told_)
    if (told.coordinate == coordinate && told.reason != Reason::PullRequest) return false;
  return true;
}

bool FetchPlan::is_torn(const RepoKey& repo) const {
  std::lock_guard lock(mutex_);
  return told_.contains(repair_key(repo));
}

std::vector<nostr::EventId> FetchPlan::lost_pulls(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  std::vector<nostr::EventId> ids;
  for (const auto& [event, told] : told_)
    if (told.pull && told.coordinate == coordinate) ids.push_back(*told.pull);
  return ids;
}

std::vector<git::Oid> FetchPlan::missing(const RepoKey& repo) const {
  std::lock_guard lock(mutex_);
  return scheduler_.missing(repo);
}

// The snapshot is taken under the lock: an older one would not know what was told just now.
void FetchPlan::forget_what_no_longer_waits(const Hosting& hosting) {
  std::lock_guard lock(mutex_);
  const auto known = hosting.known();
  const grasp::Purgatory& purgatory = known->purgatory();
  std::vector<EventKey> gone;
  for (const auto& [event, told] : told_) {
    if (is_repair(told.reason)) continue;
    const auto id = *nostr::EventId::from_hex(event.value);
    if (!purgatory.pull(id) && !purgatory.state(id, told.coordinate.identifier))
      gone.push_back(event);
  }
  for (const EventKey& event : gone) forget(event);
}

std::vector<FetchPlan::Arriving> FetchPlan::arriving(std::size_t extensions_max) const {
  std::lock_guard lock(mutex_);
  std::vector<Arriving> all;
  for (const auto& [event, told] : told_) {
    if (is_repair(told.reason) || told.extensions >= extensions_max) continue;
    if (scheduler_.is_running({told.coordinate.path()}))
      all.push_back({told.coordinate, *nostr::EventId::from_hex(event.value)});
  }
  return all;
}

void FetchPlan::extended(const std::vector<Arriving>& events) {
  std::lock_guard lock(mutex_);
  for (const Arriving& one : events)
    if (const auto at = told_.find({one.id.hex()}); at != told_.end()) ++at->second.extensions;
}

void FetchPlan::forget_idle_repos() {
  std::lock_guard lock(mutex_);
  std::set<RepoKey> fetched;
  for (const auto& [event, told] : told_) fetched.insert({told.coordinate.path()});
  std::erase_if(coordinates_, [&](const auto& entry) {
    return !fetched.contains(entry.first) && !scheduler_.is_running(entry.first);
  });
}

std::set<Identifier> FetchPlan::take_offers() {
  std::lock_guard lock(mutex_);
  const std::uint64_t ended = scheduler_.meter().satisfied + scheduler_.meter().dropped;
  if (std::exchange(ended_, ended) == ended) return {};  // there is no more space than before
  return std::exchange(put_off_, {});
}

sync::Fetches FetchPlan::fetches(std::size_t max) const {
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  const Status status = scheduler_.status(now, max);
  sync::Fetches fetches{{}, status.repos_total, status.running};
  for (const RepoStatus& repo : status.repos)
    if (const auto at = coordinates_.find(repo.repo); at != coordinates_.end())
      fetches.shown.push_back(fetch_report_of(repo, at->second, now));
  return fetches;
}

std::vector<sync::FetchStatus> FetchPlan::fetches_of(const Coordinate& coordinate) const {
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  std::vector<sync::FetchStatus> fetches;
  for (const Lane lane : {Lane::Signed, Lane::Offered})
    if (const auto repo = scheduler_.status_of({coordinate.path()}, lane))
      fetches.push_back(fetch_report_of(*repo, coordinate, now));
  return fetches;
}

Meter FetchPlan::meter() const {
  std::lock_guard lock(mutex_);
  return scheduler_.meter();
}

FetchPlan::Load FetchPlan::load() const {
  std::lock_guard lock(mutex_);
  return {scheduler_.running(), scheduler_.repositories()};
}

}  // namespace graspd::serve
