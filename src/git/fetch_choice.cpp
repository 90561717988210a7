#include "git/fetch_choice.h"

#include <algorithm>
#include <iterator>

namespace graspd::git::fetch {

using Stage = FetchSource::Stage;

Choice Chooser::choose(FetchJob& job) {
  const auto& tasks = job.tasks();
  if (tasks.size() > 1) return Blocked{};
  if (tasks.size() == 1) {  // R1
    const core::Instant second_at = tasks.front().since + options_.second_source_after;
    if (now_ < second_at) return Blocked{second_at};
    avoid_ = tasks.front().url.host();
  }
  for (FetchSource& fetch_source : job.fetch_sources())  // R2
    if (fetch_source.stage == Stage::Advertised && consider(job, fetch_source, Kind::Batch))
      return *std::move(begin_);
  for (FetchSource& fetch_source : job.fetch_sources())
    if (fetch_source.stage == Stage::Unread && consider(job, fetch_source, Kind::Advertisement))
      return *std::move(begin_);
  if (blocked_ || !tasks.empty()) return Blocked{until_};
  if (consider_late(job)) return *std::move(begin_);
  if (blocked_) return Blocked{until_};
  return PassOver{};
}

bool Chooser::consider(FetchJob& job, FetchSource& fetch_source, Kind kind) {
  if (fetch_source.busy) return false;
  if (!job.misses_any(fetch_source)) {
    fetch_source.stage = Stage::Done;
    return false;
  }
  if (kind == Kind::Advertisement) return take(fetch_source, kind, {});
  auto oids = batch(job, fetch_source);
  if (!oids.empty()) return take(fetch_source, kind, std::move(oids));
  fetch_source.stage = Stage::Late;
  return false;
}

bool Chooser::consider_late(FetchJob& job) {
  auto& until = job.late_until();
  if (!until) until = now_ + options_.late_patience;
  for (FetchSource& fetch_source : job.fetch_sources()) {
    if (fetch_source.stage != Stage::Late) continue;
    auto oids = single(job, fetch_source);
    if (oids.empty() || fetch_source.singles >= options_.singles_per_pass || now_ >= *until) {
      fetch_source.stage = Stage::Done;
      continue;
    }
    if (take(fetch_source, Kind::Single, std::move(oids))) return true;
  }
  if (blocked_) wait_until(until);
  return false;
}

bool Chooser::take(FetchSource& fetch_source, Kind kind, std::vector<Oid> oids) {
  if (avoid_ == fetch_source.url.host()) {
    blocked_ = true;
    return false;
  }
  fetch_source.failure = urls_.left_alone(fetch_source.url, now_);
  const Readiness readiness = domains_.ready(fetch_source.url, kind, now_);
  if (const auto* not_ready = std::get_if<NotReady>(&readiness))
    fetch_source.failure = not_ready->why;
  if (fetch_source.failure) {  // R4
    fetch_source.stage = Stage::Done;
    return false;
  }
  if (const auto* later = std::get_if<ReadyLater>(&readiness)) {
    wait_until(later->at);
    return false;
  }
  begin_ = Begin{kind, &fetch_source, std::move(oids), std::get<Ready>(readiness).commands};
  return true;
}

void Chooser::wait_until(const std::optional<core::Instant>& at) {
  blocked_ = true;
  if (at && (!until_ || *at < *until_)) until_ = at;
}

std::vector<Oid> Chooser::batch(const FetchJob& job, const FetchSource& fetch_source) const {
  std::vector<Oid> oids;
  std::ranges::set_intersection(job.missing(fetch_source), fetch_source.advertised,
                                std::back_inserter(oids));
  std::erase_if(oids, [&](const Oid& oid) { return urls_.is_missed(fetch_source.url, oid, now_); });
  return oids;
}

// One of those that this remote does not advertise and is not known to lack: all get their turn.
std::vector<Oid> Chooser::single(const FetchJob& job, const FetchSource& fetch_source) const {
  auto oids = job.missing(fetch_source);
  std::erase_if(oids, [&](const Oid& oid) {
    return std::ranges::binary_search(fetch_source.advertised, oid) ||
           urls_.is_missed(fetch_source.url, oid, now_);
  });
  if (oids.empty()) return {};
  return {*std::ranges::min_element(
      oids, {}, [&](const Oid& oid) { return urls_.missed_until(fetch_source.url, oid); })};
}

}  // namespace graspd::git::fetch
