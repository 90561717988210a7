#include "git/fetch_status.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"
#include "git/fetch_scheduler.h"

namespace graspd::git {

using namespace fetch;

CommandEnd fetch::end_of(const std::optional<FetchFailure>& failure) {
  if (!failure) return CommandEnd::Success;
  if (*failure == FetchFailure::Stopped) return CommandEnd::Cancelled;
  if (*failure == FetchFailure::Stalled) return CommandEnd::Stalled;
  if (*failure == FetchFailure::RateLimited) return CommandEnd::RateLimited;
  return CommandEnd::Failure;
}

namespace {

constexpr std::size_t kOidsShown = 5, kEventsShown = 5;

// An object that several events want is one object.
std::vector<Oid> missing_once(const FetchJob& job) {
  std::vector<Oid> all;
  for (const auto& [event, want] : job.wants())
    all.insert(all.end(), want.missing.begin(), want.missing.end());
  std::ranges::sort(all);
  const auto repeats = std::ranges::unique(all);
  all.erase(repeats.begin(), repeats.end());
  return all;
}

void list_wants(const FetchJob& job, RepoStatus& status) {
  const auto missing = missing_once(job);
  status.missing = missing.size();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kOidsShown, missing.size()));
  status.first_missing.assign(missing.begin(), missing.begin() + shown);
  status.events_total = job.wants().size();
  for (const auto& [event, want] : job.wants()) {
    if (status.events.size() == kEventsShown) return;
    status.events.push_back({event, want.reason, want.missing.size(), want.since});
  }
}

void list_sources(const FetchJob& job, RepoStatus& status) {
  for (const FetchSource& fetch_source : job.fetch_sources()) {
    SourceStatus source{fetch_source.url.text(),
                        fetch_source.is_grasp,
                        fetch_source.stage,
                        fetch_source.failure,
                        {},
                        {}};
    if (fetch_source.failed) {
      source.failure = source.failure.value_or(fetch_source.failed->why);
      source.failed_at = fetch_source.failed->at;
    }
    const auto at = std::ranges::find(job.tasks(), fetch_source.url, &FetchTask::url);
    if (at != job.tasks().end()) source.busy_since = at->since;
    status.sources.push_back(std::move(source));
  }
}

RepoStatus describe(const RepoKey& repo, Lane lane, const FetchJob& job) {
  RepoStatus status;
  status.repo = repo;
  status.lane = lane;
  status.since = job.since();
  status.passes = job.passes();
  status.running = !job.tasks().empty();
  if (!job.in_pass()) status.next_try = job.due_at();
  list_wants(job, status);
  list_sources(job, status);
  return status;
}

}  // namespace

Status FetchScheduler::status(core::Now now, std::size_t repos_max) const {
  using Rank = std::tuple<bool, core::Instant>;
  std::vector<std::pair<Rank, const std::pair<const Key, Entry>*>> ranked;
  for (const auto& one : entries_) {
    const FetchJob& job = one.second.job;
    ranked.emplace_back(Rank(job.tasks().empty(), job.since()), &one);
  }
  Status status;
  status.repos_total = ranked.size();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(repos_max, ranked.size()));
  std::ranges::partial_sort(ranked, ranked.begin() + shown, {}, [](const auto& entry) {
    return std::tie(entry.first, entry.second->first);
  });
  ranked.resize(static_cast<std::size_t>(shown));
  for (const auto& [rank, entry] : ranked)
    status.repos.push_back(describe(entry->first.first, entry->first.second, entry->second.job));
  status.domains = domains_.domains(now.instant);
  status.sites = domains_.sites_in_trouble(now.instant);
  status.running = running_.size();
  status.meter = meter_;
  return status;
}

std::optional<RepoStatus> FetchScheduler::status_of(const RepoKey& repo, Lane lane) const {
  const auto at = entries_.find({repo, lane});
  if (at == entries_.end()) return std::nullopt;
  return describe(repo, lane, at->second.job);
}

void FetchScheduler::check_invariants() const {
  std::size_t oids = 0, tasks = 0;
  for (const auto& [key, entry] : entries_) {
    oids += entry.job.oids();
    tasks += entry.job.tasks().size();
    CHECK(!entry.job.empty());
    CHECK(entry.turn.has_value() == entry.job.in_pass());
    CHECK(entry.timer == entry.job.due_at());
    CHECK(entry.job.in_pass() || entry.timer);  // else it would be forgotten
    CHECK(entry.job.tasks().size() <= 2);
    CHECK(entry.job.fetch_sources().size() <= options_.urls_per_pass_max);
  }
  CHECK(oids == oids_ && tasks <= running_.size());
  CHECK(running_.size() <= options_.concurrency);
  CHECK(urls_.size() <= options_.urls_remembered);
}

}  // namespace graspd::git
