#include "serve/fetch/fetch_report.h"

#include <algorithm>

#include "core/check.h"
#include "nostr/event.h"

namespace graspd::serve {
namespace {

using git::fetch::Reason;
using git::fetch::SourceStatus;
using Stage = git::fetch::FetchSource::Stage;

core::UnixSeconds at(core::Instant instant, core::Now now) {
  return now.unix_seconds + std::chrono::floor<std::chrono::seconds>(instant - now.instant).count();
}

std::optional<core::UnixSeconds> at(const std::optional<core::Instant>& instant, core::Now now) {
  return instant ? std::optional(at(*instant, now)) : std::nullopt;
}

std::string reason_name(Reason reason) {
  switch (reason) {
    case Reason::State:
      return "state";
    case Reason::PullRequest:
      return "pull_request";
    case Reason::Repair:
    case Reason::PullRepair:
      return "repair";
  }
  CHECK(false);
}

std::string words_for(const SourceStatus& source) {
  if (source.busy_since) return "request running";
  if (source.failure) return std::string(git::in_words(*source.failure));
  switch (source.stage) {
    case Stage::Unread:
      return "not asked yet";
    case Stage::Advertised:
      return "has some of the missing objects";
    case Stage::Late:
    case Stage::Done:
      return "has none of the missing objects";
  }
  CHECK(false);
}

sync::FetchSourceStatus source_repo(const SourceStatus& source, core::Now now) {
  sync::FetchSourceStatus shown{source.url, words_for(source), {}, {}, at(source.busy_since, now)};
  if (source.failure) shown.failure = git::name(*source.failure);
  shown.failed_at = at(source.failed_at, now);
  return shown;
}

// R1
std::vector<sync::FetchSourceStatus> some_sources(std::vector<SourceStatus> sources,
                                                  core::Now now) {
  std::ranges::stable_partition(sources,
                                [](const auto& one) { return one.busy_since.has_value(); });
  if (sources.size() > kFetchSourcesShown) sources.resize(kFetchSourcesShown);
  std::vector<sync::FetchSourceStatus> shown;
  shown.reserve(sources.size());
  for (const SourceStatus& source : sources) shown.push_back(source_repo(source, now));
  return shown;
}

}  // namespace

sync::FetchStatus fetch_report_of(const git::fetch::RepoStatus& repo,
                                  const grasp::Coordinate& coordinate, core::Now now) {
  sync::FetchStatus shown{.address = coordinate.announcement_address().text(),
                          .events_total = repo.events_total,
                          .missing = repo.missing,
                          .since = at(repo.since, now),
                          .tries = repo.passes,
                          .next_try = at(repo.next_try, now),
                          .sources = some_sources(repo.sources, now),
                          .sources_total = repo.sources.size()};
  for (const auto& [event, reason, missing, since] : repo.events) {
    const bool is_event = nostr::EventId::from_hex(event.value).has_value();
    shown.events.push_back(
        {is_event ? event.value : "", reason_name(reason), missing, at(since, now)});
  }
  for (const git::Oid& oid : repo.first_missing) shown.first_missing.push_back(oid.hex());
  return shown;
}

}  // namespace graspd::serve
