#include "grasp/verification.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::grasp {
namespace {

using Kind = VerificationTask::Kind;

bool same(const Ruling& a, const Ruling& b) {
  return a.version.id == b.version.id && a.waiting == b.waiting;
}

core::Instant later(core::Now now, core::UnixSeconds from, core::Duration after) {
  const core::Instant then = now.instant + std::chrono::seconds(from - now.unix_seconds) + after;
  return std::max(now.instant, then);
}

template <class Places>
void place(Places& places, const Coordinate& repo, std::optional<core::Instant>& at,
           std::optional<core::Instant> next) {
  if (at) places.erase({*at, repo});
  at = next;
  if (at) places.emplace(*at, repo);
}

}  // namespace

void Verifications::restore(KeptVerification kept) {
  restored_.insert_or_assign(std::move(kept.repo), std::move(kept.record));
}

void Verifications::list(core::Now now, const Coordinate& repo, const Ruling& ruling) {
  const auto at = entries_.find(repo);
  if (at == entries_.end()) {
    Entry& entry = entries_[repo];
    auto kept = restored_.extract(repo);
    const bool is_known = !kept.empty() && same(kept.mapped().ruling, ruling);
    if (!kept.empty()) entry.record = std::move(kept.mapped());
    entry.ruling = ruling;
    admit(now, repo, entry, is_known);
    return;
  }
  Entry& entry = at->second;
  if (same(entry.ruling, ruling)) return;
  entry.ruling = ruling;
  entry.is_checked = false;
  look_soon(repo, entry, now.instant);
}

// R1
void Verifications::admit(core::Now now, const Coordinate& repo, Entry& entry, bool is_known) {
  const VerificationRecord& record = entry.record;
  const auto interval = record.health.is_broken() ? options_.broken_interval : options_.interval;
  if (options_.looks)
    look_at(repo, entry,
            is_known ? later(now, record.looked_at, before_next(interval)) : now.instant);
  if (!options_.compares) return;
  // The first time soon or late, so that a new server does not ask for everything at once.
  const auto& peer = record.health.compared;
  compare_at(repo, entry,
             later(now, peer ? peer->at : now.unix_seconds,
                   peer ? before_next(options_.interval)
                        : core::Duration(static_cast<core::Duration::rep>(rng_.below(
                              static_cast<std::uint64_t>(options_.interval.count()) + 1)))));
}

void Verifications::stirred(core::Now now, const Coordinate& repo) {
  const auto at = entries_.find(repo);
  if (at == entries_.end()) return;
  Entry& entry = at->second;
  if (busy_ && busy_->task.repo == repo) entry.is_stirred = true;
  if (entry.record.health.is_broken()) look_soon(repo, entry, now.instant);
}

void Verifications::forget(const Coordinate& repo) {
  restored_.erase(repo);
  if (busy_ && busy_->task.repo == repo) busy_.reset();
  notes_.push_back(verification_note(repo, std::nullopt));
  const auto at = entries_.find(repo);
  if (at == entries_.end()) return;
  place(looks_, repo, at->second.look_at, std::nullopt);
  place(comparisons_, repo, at->second.compare_at, std::nullopt);
  entries_.erase(at);
}

void Verifications::keep_only(const std::set<Coordinate>& repos) {
  std::vector<Coordinate> gone;
  for (const auto& [repo, entry] : entries_)
    if (!repos.contains(repo)) gone.push_back(repo);
  for (const auto& [repo, record] : restored_)
    if (!repos.contains(repo)) gone.push_back(repo);
  for (const Coordinate& repo : gone) forget(repo);
}

std::optional<VerificationTask> Verifications::begin(core::Now now) {
  if (busy_) return std::nullopt;  // R2
  const auto first = [&](const std::set<Place>& places) {
    return places.empty() ? core::Instant::max() : places.begin()->first;
  };
  const core::Instant look = first(looks_), compare = first(comparisons_);
  const bool may_compare = compare <= now.instant && comparisons_from() <= now.instant;
  const bool is_comparison = may_compare && (compare < look || look > now.instant);
  if (!is_comparison && look > now.instant) return std::nullopt;
  const Coordinate repo = (is_comparison ? comparisons_ : looks_).begin()->second;
  Entry& entry = entries_.at(repo);
  if (is_comparison) {
    compared_at_ = now.instant;
    place(comparisons_, repo, entry.compare_at, std::nullopt);
  } else {
    entry.is_stirred = entry.is_asked = false;
    place(looks_, repo, entry.look_at, std::nullopt);
    ++begun_;
  }
  busy_ =
      Busy{{is_comparison ? Kind::Compare : Kind::Look, repo, rng_.next()}, now.instant, begun_};
  return busy_->task;
}

std::optional<core::Instant> Verifications::next_at() const {
  std::optional<core::Instant> next;
  if (!looks_.empty()) next = looks_.begin()->first;
  if (comparisons_.empty()) return next;
  const core::Instant compare = std::max(comparisons_.begin()->first, comparisons_from());
  return next ? std::min(*next, compare) : compare;
}

core::Instant Verifications::comparisons_from() const {
  return compared_at_ ? *compared_at_ + options_.comparison_pause : core::Instant::min();
}

Verifications::Ended Verifications::end() {
  if (!busy_) return {};  // it was forgotten meanwhile
  auto was = std::exchange(busy_, std::nullopt);
  const auto at = entries_.find(was->task.repo);
  return {std::move(was), at == entries_.end() ? nullptr : &at->second};
}

void Verifications::looked(core::Now now, const Looked& look) {
  const auto [was, entry] = end();
  ++meter_.looks;
  if (look.set_right || !look.problem.empty()) ++meter_.failures;
  if (!entry) return;
  const Coordinate& repo = was->task.repo;
  GitHealth& health = entry->record.health;
  entry->looked = was->number;
  if (entry->is_lacking && look.problem.empty()) {  // R8: it was lost meanwhile
    if (options_.looks) look_at(repo, *entry, now.instant + options_.broken_interval);
    return;
  }
  if (look.set_right || (health.is_broken() && look.problem.empty())) ++meter_.repairs;
  entry->declares = look.declares;
  if (!entry->is_lacking || !health.is_broken()) {  // R8: else the words of the check stay
    health.behind = look.behind;
    health.problem = look.problem;
  }
  if (look.declares && health.behind.empty()) health.synced_at = now.unix_seconds;
  if (look.declares && look.problem.empty()) health.verified_at = now.unix_seconds;
  entry->record.looked_at = now.unix_seconds;
  entry->record.made_from = look.made_from;
  entry->is_checked = same(entry->ruling, look.ruling);
  entry->rests = now.instant + options_.share * (now.instant - was->since);
  entry->record.ruling = look.ruling;
  const bool is_news =
      !same(entry->ruling, look.ruling) || (entry->is_stirred && health.is_broken());
  if (is_news || entry->is_asked)
    look_soon(repo, *entry, now.instant);
  else if (options_.looks)
    look_at(repo, *entry,
            now.instant +
                before_next(health.is_broken() ? options_.broken_interval : options_.interval));
  note(repo, *entry);
}

void Verifications::compared(core::Now now, const Comparison& with) {
  const auto [was, entry] = end();
  ++meter_.comparisons;
  if (!with.difference.empty()) ++meter_.differences;
  if (!entry) return;
  entry->record.health.compared = with;
  compare_at(was->task.repo, *entry, now.instant + before_next(options_.interval));
  note(was->task.repo, *entry);
}

void Verifications::not_compared(core::Now now, bool was_asked) {
  const auto [was, entry] = end();
  if (was_asked) ++meter_.silences;
  if (entry) compare_at(was->task.repo, *entry, now.instant + before_next(options_.interval));
}

std::optional<GitHealth> Verifications::find(const Coordinate& repo) const {
  const auto at = entries_.find(repo);
  if (at == entries_.end()) return std::nullopt;
  GitHealth health = at->second.record.health;
  if (!at->second.is_confirmed() && !health.is_broken()) health.verified_at.reset();  // R7
  if (!at->second.is_checked && health.behind.empty()) health.synced_at.reset();
  return health;
}

std::vector<Coordinate> Verifications::repos(const Identifier& identifier) const {
  std::vector<Coordinate> found;
  for (auto at = entries_.lower_bound({{}, identifier});
       at != entries_.end() && at->first.identifier == identifier; ++at)
    found.push_back(at->first);
  return found;
}

VerificationTotals Verifications::totals() const {
  VerificationTotals totals;
  for (const auto& [repo, entry] : entries_)
    if (entry.declares) count(entry, totals);
  return totals;
}

std::vector<VerificationTrouble> Verifications::troubles(std::size_t max) const {
  std::vector<VerificationTrouble> found;
  for (const auto& [repo, entry] : entries_) {
    const GitHealth& health = entry.record.health;
    if (found.size() == max) break;
    if (!health.behind.empty() || health.is_broken()) found.push_back({repo, health});
  }
  return found;
}

void Verifications::count(const Entry& entry, VerificationTotals& totals) {
  const GitHealth& health = entry.record.health;
  ++(entry.is_checked && health.is_synced() ? totals.synced : totals.unsynced);
  if (entry.is_lacking) ++totals.lacking;
  if (health.is_broken())
    ++totals.broken;
  else if (entry.is_confirmed() && health.is_verified())
    ++totals.verified;
  else
    ++totals.unverified;
  if (health.verified_at && (!totals.oldest || *health.verified_at < *totals.oldest))
    totals.oldest = health.verified_at;
}

// A little less than that, so that those who began together drift apart.
core::Duration Verifications::before_next(core::Duration interval) {
  const auto spread = static_cast<std::uint64_t>(interval.count() / 8 + 1);
  return interval - core::Duration(static_cast<core::Duration::rep>(rng_.below(spread)));
}

void Verifications::look_at(const Coordinate& repo, Entry& entry, core::Instant at) {
  place(looks_, repo, entry.look_at, at);
}

// R3, R4. Whoever waits already keeps its place. While it is looked at, that look decides.
void Verifications::look_soon(const Coordinate& repo, Entry& entry, core::Instant now) {
  if (busy_with(repo)) return;
  if (!options_.looks && !entry.is_asked) return;
  const core::Instant soon = entry.is_asked ? now : std::max(now, entry.rests.value_or(now));
  if (!entry.look_at || soon < *entry.look_at) look_at(repo, entry, soon);
}

void Verifications::compare_at(const Coordinate& repo, Entry& entry, core::Instant at) {
  place(comparisons_, repo, entry.compare_at, at);
}

void Verifications::note(const Coordinate& repo, const Entry& entry) {
  notes_.push_back(verification_note(repo, entry.record));
}

}  // namespace graspd::grasp
