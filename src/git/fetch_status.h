// What pages, `graspd status` and metrics show of fetching: values, made on demand.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "git/fetch_domains.h"
#include "git/fetch_job.h"

namespace graspd::git::fetch {

struct SourceStatus {
  std::string url;
  bool is_grasp = false;
  FetchSource::Stage stage = FetchSource::Stage::Unread;
  std::optional<FetchFailure> failure;      // why nothing came, or is expected of it now
  std::optional<core::Instant> failed_at;   // when it was asked
  std::optional<core::Instant> busy_since;  // request running
};

struct EventStatus {
  EventKey event;
  Reason reason = Reason::State;
  std::size_t missing = 0;
  core::Instant since;
};

struct RepoStatus {
  RepoKey repo;
  Lane lane = Lane::Signed;
  std::vector<EventStatus> events;  // a few
  std::size_t events_total = 0;
  std::size_t missing = 0;         // objects of all of them, each counted once
  std::vector<Oid> first_missing;  // a few
  core::Instant since;             // of the event that waits longest
  std::uint32_t passes = 0;        // in a row without progress
  bool running = false;
  std::optional<core::Instant> next_try;  // when none is under way
  std::vector<SourceStatus> sources;      // of this pass, or of the last one
};

// How a command ended, as coarse as dashboards want it.
enum class CommandEnd : std::uint8_t { Success, Failure, Cancelled, Stalled, RateLimited };
CommandEnd end_of(const std::optional<FetchFailure>& failure);

struct Meter {
  static constexpr std::size_t kFailures = static_cast<std::size_t>(FetchFailure::Stopped) + 1;
  using Ends = std::array<std::uint64_t, static_cast<std::size_t>(CommandEnd::RateLimited) + 1>;

  std::uint64_t advertisements = 0, batches = 0, singles = 0;  // commands begun
  std::uint64_t succeeded = 0;
  std::array<std::uint64_t, kFailures> failed{};  // by FetchFailure
  Ends advertisement_ends{}, fetch_ends{};        // the same commands, by CommandEnd
  std::uint64_t oids = 0, bytes = 0;              // that came by fetching
  std::uint64_t passes = 0;
  std::uint64_t satisfied = 0, dropped = 0, refused = 0;  // events
  std::uint64_t set_aside = 0;                            // sites
};

struct Status {
  std::vector<RepoStatus> repos;
  std::size_t repos_total = 0;
  std::vector<DomainStatus> domains;
  std::vector<SiteStatus> sites;  // in trouble
  std::size_t running = 0;
  Meter meter;
};

}  // namespace graspd::git::fetch
