#include "git/fetch_scheduler.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/check.h"

namespace graspd::git {

using namespace fetch;

namespace {

void conclude(FetchSource& fetch_source, std::optional<FetchFailure> failure, core::Instant now) {
  fetch_source.failure = failure;
  fetch_source.failed = failure ? std::optional(Failed{*failure, now}) : std::nullopt;
}

constexpr Lane kLanes[] = {Lane::Signed, Lane::Offered};

std::vector<Oid> sorted(std::vector<Oid> oids) {
  std::ranges::sort(oids);
  const auto twice = std::ranges::unique(oids);
  oids.erase(twice.begin(), twice.end());
  return oids;
}

std::vector<Oid> without(const std::vector<Oid>& from, const std::vector<Oid>& these) {
  std::vector<Oid> left;
  std::ranges::set_difference(from, these, std::back_inserter(left));
  return left;
}

}  // namespace

FetchScheduler::FetchScheduler(Options options, core::Rng rng)
    : options_(options), rng_(rng), domains_(options_), urls_(options_) {}

Actions FetchScheduler::step(core::Now now, const Input& input) {
  actions_.clear();
  std::visit([&](const auto& in) { on(now, in); }, input);
  arm(now.instant);
  return std::exchange(actions_, {});
}

void FetchScheduler::on(core::Now now, const Wanted& in) {
  if (in.missing.empty()) return on(now, NoLongerWanted{in.repo, in.event});
  const Key key{in.repo, lane_of(in.reason)};
  const auto at = entries_.find(key);
  if (!has_space(at == entries_.end() ? nullptr : &at->second, in)) {
    ++meter_.refused;
    return;
  }
  Entry& entry = entries_[key];
  const std::size_t before = entry.job.oids();
  const auto delay = in.synced ? options_.push_not_expected : options_.push_expected;
  const bool is_news = entry.job.want(
      in.event, {in.reason, sorted(in.missing), in.sources, now.instant + delay, now.instant});
  oids_ += entry.job.oids() - before;
  if (is_news) {
    const core::Instant due = entry.job.wants().at(in.event).due;
    entry.job.start_afresh(std::max(due, now.instant + options_.push_not_expected));
    for (const Source& source : in.sources) urls_.clear_failures(source.url);
  }
  changed(key);
}

bool FetchScheduler::has_space(const Entry* entry, const Wanted& in) const {
  const bool is_new = !entry || !entry->job.wants().contains(in.event);
  if (!is_new) return in.missing.size() <= options_.oids_per_event_max;
  return (entry || entries_.size() < options_.repositories_max) &&
         (!entry || entry->job.wants().size() < options_.events_per_repository_max) &&
         in.missing.size() <= options_.oids_per_event_max &&
         oids_ + in.missing.size() <= options_.oids_max;
}

void FetchScheduler::on(core::Now now, const NoLongerWanted& in) {
  for (const Lane lane : kLanes) {
    const auto at = entries_.find({in.repo, lane});
    if (at == entries_.end()) continue;
    const std::size_t before = at->second.job.oids();
    if (!at->second.job.drop(in.event)) continue;
    oids_ -= before - at->second.job.oids();
    ++meter_.dropped;
    changed(Key(at->first));
  }
  pump(now.instant);
}

void FetchScheduler::on(core::Now now, const PushFailed& in) {
  for (const Lane lane : kLanes) {
    const auto at = entries_.find({in.repo, lane});
    if (at == entries_.end()) continue;
    at->second.job.expect_no_push(now.instant + options_.push_not_expected);
    set_timer(at->first, at->second);
  }
}

void FetchScheduler::on(core::Now now, const Arrived& in) {
  arrived(in.repo, in.here);
  pump(now.instant);
}

void FetchScheduler::arrived(const RepoKey& repo, std::vector<Oid> here) {
  here = sorted(std::move(here));
  for (const Lane lane : kLanes) {
    const auto at = entries_.find({repo, lane});
    if (at == entries_.end()) continue;
    const auto ticked = at->second.job.arrived(here);
    if (ticked.oids > 0) at->second.job.retry_soon();
    oids_ -= ticked.oids;
    meter_.satisfied += ticked.events;
    changed(Key(at->first));
  }
}

// R4
void FetchScheduler::changed(const Key& key) {
  Entry& entry = entries_.at(key);
  const FetchJob& job = entry.job;
  for (const FetchTask& task : job.tasks()) {
    Running& running = running_.at(task.attempt);
    const bool is_vain = job.empty() || (!running.asked.empty() && !job.misses_any(running.asked));
    if (!is_vain || running.is_stopped) continue;
    running.is_stopped = true;
    actions_.push_back(Stop{task.attempt});
  }
  if (!job.empty()) return set_timer(key, entry);
  if (entry.turn) queue_.erase(*entry.turn);
  if (entry.timer) timers_.erase({*entry.timer, key});
  entries_.erase(key);
}

void FetchScheduler::set_timer(const Key& key, Entry& entry) {
  if (entry.timer) timers_.erase({*entry.timer, key});
  entry.timer = entry.job.due_at();
  if (entry.timer) timers_.emplace(*entry.timer, key);
}

template <class Answer>
void FetchScheduler::settle_accounts(core::Now now, const Ticket& ticket, const Answer& in,
                                     std::size_t commands) {
  if (!domains_.end(ticket, commands, in.failure, in.retry_after, now.instant)) return;
  ++meter_.set_aside;
  actions_.push_back(Log{core::log::Level::Info,
                         fmt::format("git: {} is set aside: {}", ticket.site, name(*in.failure))});
}

template <class Answer>
std::optional<FetchScheduler::Running> FetchScheduler::take(core::Now now, const Answer& in,
                                                            std::size_t commands) {
  auto node = running_.extract(in.attempt);
  if (node.empty()) return std::nullopt;
  Running& running = node.mapped();
  settle_accounts(now, running.ticket, in, commands);
  auto& ends = running.kind == Kind::Advertisement ? meter_.advertisement_ends : meter_.fetch_ends;
  ++ends[static_cast<std::size_t>(fetch::end_of(in.failure))];
  if (in.failure) {
    urls_.failed(running.url, *in.failure, now.instant);
    ++meter_.failed[static_cast<std::size_t>(*in.failure)];
  } else {
    ++meter_.succeeded;
  }
  const auto at = entries_.find(running.key);
  if (at != entries_.end())
    std::erase_if(at->second.job.tasks(),
                  [&](const FetchTask& task) { return task.attempt == in.attempt; });
  return std::move(running);
}

// Its fetch_source, which is free again. The fetch may be over, or another of the same name begun.
FetchSource* FetchScheduler::free_source(const Running& running) {
  const auto at = entries_.find(running.key);
  if (at == entries_.end()) return nullptr;
  FetchSource* fetch_source = at->second.job.find(running.url);
  if (!fetch_source || fetch_source->busy != running.attempt) return nullptr;
  fetch_source->busy.reset();
  return fetch_source;
}

// A forge may advertise half a million; kept is what matters.
std::vector<Oid> FetchScheduler::wanted_of(const Running& running,
                                           const std::vector<Oid>& advertised) {
  FetchJob& job = entries_.at(running.key).job;
  std::vector<Oid> wanted;
  std::ranges::set_intersection(advertised, job.missing(*job.find(running.url)),
                                std::back_inserter(wanted));
  return wanted;
}

void FetchScheduler::on(core::Now now, const AdvertisementRead& in) {
  const auto running = take(now, in, 1);
  if (!running) return;
  if (!in.failure) urls_.advertised(running->url, in.digest, now.instant);
  if (FetchSource* fetch_source = free_source(*running)) {
    conclude(*fetch_source, in.failure, now.instant);
    fetch_source->stage = in.failure ? FetchSource::Stage::Done : FetchSource::Stage::Advertised;
    fetch_source->advertised = wanted_of(*running, sorted(in.advertised));
  }
  pump(now.instant);
}

void FetchScheduler::on(core::Now now, const Fetched& in) {
  const auto running = take(now, in, in.commands);
  if (!running) return;
  const auto here = sorted(in.here);
  const auto lacked = without(running->asked, here);
  const bool answered = !in.failure || in.failure == FetchFailure::Lacks;
  if (answered) urls_.missed(running->url, lacked, now.instant);
  meter_.oids += running->asked.size() - lacked.size();
  meter_.bytes += in.bytes;
  if (FetchSource* fetch_source = free_source(*running)) {
    conclude(*fetch_source, in.failure, now.instant);
    fetch_source->stage = answered ? FetchSource::Stage::Late : FetchSource::Stage::Done;
    fetch_source->advertised = without(fetch_source->advertised, lacked);
    if (running->kind == Kind::Single) ++fetch_source->singles;
  }
  arrived(running->key.first, here);
  pump(now.instant);
}

std::optional<Ticket> FetchScheduler::begin_visit(core::Now now, const FetchUrl& url) {
  if (urls_.left_alone(url, now.instant)) return std::nullopt;
  const Readiness readiness = domains_.ready(url, Kind::Advertisement, now.instant);
  if (!std::holds_alternative<Ready>(readiness)) return std::nullopt;
  return domains_.start(url, Kind::Advertisement, 1, now.instant);
}

void FetchScheduler::on(core::Now now, const VisitEnded& in) {
  settle_accounts(now, in.ticket, in, 1);
  pump(now.instant);
}

void FetchScheduler::on(core::Now now, const Alarm&) {
  armed_.reset();
  fall_due(now.instant);
  pump(now.instant);
}

void FetchScheduler::fall_due(core::Instant now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Key key = timers_.begin()->second;
    Entry& entry = entries_.at(key);
    const std::size_t first = rng_.below(entry.job.wants().size());
    entry.job.begin_pass(domains_, options_, now, first);
    if (!entry.turn) entry.turn = turns_++;
    queue_[*entry.turn] = key;
    ++meter_.passes;
    set_timer(key, entry);
  }
}

// R2: from the front of the queue; whoever begins something goes to its end.
void FetchScheduler::pump(core::Instant now) {
  blocked_until_.reset();
  const std::uint64_t end = turns_;
  for (auto at = queue_.begin(); at != queue_.end() && at->first < end;) {
    if (running_.size() >= options_.concurrency) return;
    const Key key = at->second;
    ++at;
    if (has_slot(key.second)) advance(now, key, entries_.at(key));
  }
}

bool FetchScheduler::has_slot(Lane lane) const {  // R3
  const std::size_t kept_free = lane == Lane::Offered && options_.concurrency > 1 ? 1 : 0;
  return running_.size() + kept_free < options_.concurrency;
}

void FetchScheduler::advance(core::Instant now, const Key& key, Entry& entry) {
  Choice choice = Chooser(options_, domains_, urls_, now).choose(entry.job);
  if (auto* chosen = std::get_if<Begin>(&choice)) {
    begin(now, key, entry, std::move(*chosen));
    look_again(now, now + options_.second_source_after);
  } else if (const auto* blocked = std::get_if<Blocked>(&choice)) {
    if (blocked->until) look_again(now, *blocked->until);
  } else {
    end_pass(now, key, entry);
  }
}

void FetchScheduler::look_again(core::Instant now, core::Instant when) {
  CHECK(when > now);  // else wake-ups would breed
  if (!blocked_until_ || when < *blocked_until_) blocked_until_ = when;
}

void FetchScheduler::begin(core::Instant now, const Key& key, Entry& entry, Begin chosen) {
  const Attempt attempt{++attempts_};
  const FetchUrl url = chosen.fetch_source->url;
  chosen.fetch_source->busy = attempt;
  entry.job.tasks().push_back({attempt, url, now});
  auto ticket = domains_.start(url, chosen.kind, chosen.commands, now);
  running_.emplace(attempt,
                   Running{attempt, key, url, chosen.kind, std::move(ticket), chosen.oids});
  queue_.erase(*entry.turn);
  entry.turn = turns_++;
  queue_.emplace(*entry.turn, key);
  switch (chosen.kind) {
    case Kind::Advertisement:
      ++meter_.advertisements;
      actions_.push_back(ReadAdvertisement{attempt, key.first, url});
      return;
    case Kind::Batch:
      ++meter_.batches;
      break;
    case Kind::Single:
      ++meter_.singles;
      break;
  }
  actions_.push_back(Fetch{attempt, key.first, url, std::move(chosen.oids),
                           chosen.kind == Kind::Batch, chosen.commands});
}

void FetchScheduler::end_pass(core::Instant now, const Key& key, Entry& entry) {
  // Those who were refused together should not come back together.
  const auto spread = static_cast<std::uint64_t>(options_.backoff_base.count() / 10 + 1);
  const core::Duration jitter(static_cast<core::Duration::rep>(rng_.below(spread)));
  entry.job.end_pass(options_, now, jitter);
  queue_.erase(*entry.turn);
  entry.turn.reset();
  set_timer(key, entry);
}

void FetchScheduler::arm(core::Instant now) {
  std::optional<core::Instant> next = blocked_until_;
  if (!timers_.empty() && (!next || timers_.begin()->first < *next)) next = timers_.begin()->first;
  if (!next || next == armed_) return;
  armed_ = std::max(*next, now);
  actions_.push_back(WakeAt{*armed_});
}

bool FetchScheduler::is_running(const RepoKey& repo) const {
  return std::ranges::any_of(kLanes, [&](Lane lane) {
    const auto at = entries_.find({repo, lane});
    return at != entries_.end() && !at->second.job.tasks().empty();
  });
}

std::vector<Oid> FetchScheduler::missing(const RepoKey& repo) const {
  std::vector<Oid> all;
  for (const Lane lane : kLanes) {
    const auto at = entries_.find({repo, lane});
    if (at == entries_.end()) continue;
    for (const auto& [event, want] : at->second.job.wants())
      if (!is_repair(want.reason)) all.insert(all.end(), want.missing.begin(), want.missing.end());
  }
  return sorted(std::move(all));
}

bool FetchScheduler::wants(const RepoKey& repo, const EventKey& event) const {
  return std::ranges::any_of(kLanes, [&](Lane lane) {
    const auto at = entries_.find({repo, lane});
    return at != entries_.end() && at->second.job.wants().contains(event);
  });
}

}  // namespace graspd::git
