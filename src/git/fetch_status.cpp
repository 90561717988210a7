#include "git/fetch_status.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"
#include "git/fetch_scheduler.h"

namespace graspd::git {

using namespace hunt;

CommandEnd hunt::end_of(const std::optional<FetchFailure>& failure) {
  if (!failure) return CommandEnd::Success;
  if (*failure == FetchFailure::Stopped) return CommandEnd::Cancelled;
  if (*failure == FetchFailure::Stalled) return CommandEnd::Stalled;
  if (*failure == FetchFailure::RateLimited) return CommandEnd::RateLimited;
  return CommandEnd::Failure;
}

namespace {

constexpr std::size_t kOidsShown = 5, kEventsShown = 5;

// An object that several events want is one object.
std::vector<Oid> missing_once(const Pursuit& pursuit) {
  std::vector<Oid> all;
  for (const auto& [event, want] : pursuit.wants())
    all.insert(all.end(), want.missing.begin(), want.missing.end());
  std::ranges::sort(all);
  const auto repeats = std::ranges::unique(all);
  all.erase(repeats.begin(), repeats.end());
  return all;
}

void list_wants(const Pursuit& pursuit, RepoStatus& status) {
  const auto missing = missing_once(pursuit);
  status.missing = missing.size();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kOidsShown, missing.size()));
  status.first_missing.assign(missing.begin(), missing.begin() + shown);
  status.events_total = pursuit.wants().size();
  for (const auto& [event, want] : pursuit.wants()) {
    if (status.events.size() == kEventsShown) return;
    status.events.push_back({event, want.reason, want.missing.size(), want.since});
  }
}

void list_sources(const Pursuit& pursuit, RepoStatus& status) {
  for (const Lead& lead : pursuit.leads()) {
    SourceStatus source{lead.url.text(), lead.is_grasp, lead.stage, lead.failure, {}, {}};
    if (lead.failed) {
      source.failure = source.failure.value_or(lead.failed->why);
      source.failed_at = lead.failed->at;
    }
    const auto at = std::ranges::find(pursuit.errands(), lead.url, &Errand::url);
    if (at != pursuit.errands().end()) source.busy_since = at->since;
    status.sources.push_back(std::move(source));
  }
}

RepoStatus describe(const RepoKey& repo, Lane lane, const Pursuit& pursuit) {
  RepoStatus status;
  status.repo = repo;
  status.lane = lane;
  status.since = pursuit.since();
  status.passes = pursuit.passes();
  status.running = !pursuit.errands().empty();
  if (!pursuit.in_pass()) status.next_try = pursuit.due_at();
  list_wants(pursuit, status);
  list_sources(pursuit, status);
  return status;
}

}  // namespace

Status Hunt::status(core::Now now, std::size_t repos_max) const {
  using Rank = std::tuple<bool, core::Instant>;
  std::vector<std::pair<Rank, const std::pair<const Key, Entry>*>> ranked;
  for (const auto& one : entries_) {
    const Pursuit& pursuit = one.second.pursuit;
    ranked.emplace_back(Rank(pursuit.errands().empty(), pursuit.since()), &one);
  }
  Status status;
  status.repos_total = ranked.size();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(repos_max, ranked.size()));
  std::ranges::partial_sort(ranked, ranked.begin() + shown, {}, [](const auto& entry) {
    return std::tie(entry.first, entry.second->first);
  });
  ranked.resize(static_cast<std::size_t>(shown));
  for (const auto& [rank, entry] : ranked)
    status.repos.push_back(
        describe(entry->first.first, entry->first.second, entry->second.pursuit));
  status.domains = domains_.domains(now.instant);
  status.sites = domains_.sites_in_trouble(now.instant);
  status.running = running_.size();
  status.meter = meter_;
  return status;
}

std::optional<RepoStatus> Hunt::status_of(const RepoKey& repo, Lane lane) const {
  const auto at = entries_.find({repo, lane});
  if (at == entries_.end()) return std::nullopt;
  return describe(repo, lane, at->second.pursuit);
}

void Hunt::check_invariants() const {
  std::size_t oids = 0, errands = 0;
  for (const auto& [key, entry] : entries_) {
    oids += entry.pursuit.oids();
    errands += entry.pursuit.errands().size();
    CHECK(!entry.pursuit.empty());
    CHECK(entry.turn.has_value() == entry.pursuit.in_pass());
    CHECK(entry.timer == entry.pursuit.due_at());
    CHECK(entry.pursuit.in_pass() || entry.timer);  // else it would be forgotten
    CHECK(entry.pursuit.errands().size() <= 2);
    CHECK(entry.pursuit.leads().size() <= options_.urls_per_pass_max);
  }
  CHECK(oids == oids_ && errands <= running_.size());
  CHECK(running_.size() <= options_.concurrency);
  CHECK(urls_.size() <= options_.urls_remembered);
}

}  // namespace graspd::git
