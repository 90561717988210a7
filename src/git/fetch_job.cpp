#include "git/fetch_job.h"

#include <algorithm>
#include <iterator>

namespace graspd::git::fetch {

namespace {

bool names_more(const std::vector<Source>& sources, const std::vector<Source>& than) {
  if (std::ranges::equal(sources, than, {}, &Source::url, &Source::url)) return false;
  return std::ranges::any_of(sources, [&](const Source& source) {
    return std::ranges::find(than, source.url, &Source::url) == than.end();
  });
}

}  // namespace

Lane lane_of(Reason reason) {
  const bool is_offered = reason == Reason::PullRequest || reason == Reason::PullRepair;
  return is_offered ? Lane::Offered : Lane::Signed;
}

bool FetchJob::want(const EventKey& event, Want want) {
  const auto at = wants_.find(event);
  if (at == wants_.end()) {
    wants_.emplace(event, std::move(want));
    return true;
  }
  Want& known = at->second;
  const bool is_news = !std::ranges::includes(known.missing, want.missing) ||
                       names_more(want.sources, known.sources);
  if (is_news) in_hand_.erase(event);
  want.due = std::min(want.due, known.due);
  want.since = known.since;
  known = std::move(want);
  return is_news;
}

bool FetchJob::drop(const EventKey& event) {
  in_hand_.erase(event);
  return wants_.erase(event) > 0;
}

void FetchJob::expect_no_push(core::Instant due) {
  for (auto& [event, want] : wants_) want.due = std::min(want.due, due);
}

FetchJob::Ticked FetchJob::arrived(const std::vector<Oid>& here) {
  Ticked ticked;
  for (auto at = wants_.begin(); at != wants_.end();) {
    std::vector<Oid> left;
    std::ranges::set_difference(at->second.missing, here, std::back_inserter(left));
    ticked.oids += at->second.missing.size() - left.size();
    at->second.missing = std::move(left);
    if (!at->second.missing.empty()) {
      ++at;
      continue;
    }
    ++ticked.events;
    in_hand_.erase(at->first);
    at = wants_.erase(at);
  }
  return ticked;
}

std::size_t FetchJob::oids() const {
  std::size_t sum = 0;
  for (const auto& [event, want] : wants_) sum += want.missing.size();
  return sum;
}

bool FetchJob::misses_any(const FetchSource& fetch_source) const {
  return std::ranges::any_of(fetch_source.events,
                             [&](const EventKey& event) { return wants_.contains(event); });
}

std::vector<Oid> FetchJob::missing(const FetchSource& fetch_source) const {
  std::vector<Oid> all;
  for (const EventKey& event : fetch_source.events) {
    const auto at = wants_.find(event);
    if (at == wants_.end()) continue;
    std::vector<Oid> merged;
    std::ranges::set_union(all, at->second.missing, std::back_inserter(merged));
    all = std::move(merged);
  }
  return all;
}

core::Instant FetchJob::since() const {
  core::Instant first = core::Instant::max();
  for (const auto& [event, want] : wants_) first = std::min(first, want.since);
  return first;
}

bool FetchJob::misses_any(const std::vector<Oid>& oids) const {
  return std::ranges::any_of(oids, [&](const Oid& oid) {
    return std::ranges::any_of(wants_, [&](const auto& entry) {
      return std::ranges::binary_search(entry.second.missing, oid);
    });
  });
}

void FetchJob::begin_pass(const Domains& domains, const Options& options, core::Instant now,
                          std::size_t first_event) {
  std::vector<NamedSources> named;
  for (const auto& [event, want] : wants_) {
    if (want.due > now) continue;
    in_hand_.insert(event);
    named.push_back({event, want.sources});
  }
  std::vector<FetchSource> fetch_sources;
  for (RankedSource& ranked : rank(named, domains, options.urls_per_pass_max, first_event)) {
    FetchSource fetch_source{ranked.source.url, ranked.source.is_grasp, std::move(ranked.events)};
    const FetchSource* old = find(fetch_source.url);
    if (old) fetch_source.failed = old->failed;
    if (old && old->busy) {
      fetch_source.busy = old->busy;
      fetch_source.stage = old->stage;
      fetch_source.advertised = old->advertised;
    }
    fetch_sources.push_back(std::move(fetch_source));
  }
  sources_ = std::move(fetch_sources);
  late_until_.reset();
  in_pass_ = true;
}

void FetchJob::end_pass(const Options& options, core::Instant now, core::Duration jitter) {
  const bool only_repairs =
      std::ranges::all_of(wants_, [](const auto& entry) { return is_repair(entry.second.reason); });
  const core::Duration max = only_repairs ? options.repair_backoff_max : options.backoff_max;
  core::Duration pause = options.backoff_base;
  for (std::uint32_t i = 0; i < passes_ && pause < max; ++i) pause *= 2;
  ++passes_;
  retry_at_ = now + std::min(pause, max) + jitter;
  in_pass_ = false;
  in_hand_.clear();
}

void FetchJob::start_afresh(core::Instant due) {
  passes_ = 0;
  retry_at_ = std::min(retry_at_, due);
}

std::optional<core::Instant> FetchJob::due_at() const {
  std::optional<core::Instant> first;
  for (const auto& [event, want] : wants_) {
    if (in_hand_.contains(event)) continue;
    const core::Instant at = in_pass_ ? want.due : std::max(want.due, retry_at_);
    if (!first || at < *first) first = at;
  }
  return first;
}

FetchSource* FetchJob::find(const FetchUrl& url) {
  const auto at = std::ranges::find(sources_, url, &FetchSource::url);
  return at == sources_.end() ? nullptr : &*at;
}

}  // namespace graspd::git::fetch
