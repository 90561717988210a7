#include "serve/fetch/verification_plan.h"

#include <algorithm>

#include "core/log.h"
#include "net/clock.h"
#include "serve/fetch/data_checks.h"
#include "serve/runtime/random.h"

namespace graspd::serve {

using grasp::Coordinate;

namespace {

// Where nothing is due.
constexpr core::Duration kLongestWait = std::chrono::minutes(1);

}  // namespace

VerificationPlan::VerificationPlan(const grasp::VerificationOptions& options, Hosting& hosting)
    : looks_(options.looks), hosting_(hosting), plan_(options, core::Rng(random_seed())) {}

void VerificationPlan::wake() {
  {
    std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  wake_.notify_all();
}

void VerificationPlan::restore() {
  const auto here = hosting_.store.snapshot();
  if (!here) return core::log::warn("what was verified before is not known");
  std::lock_guard lock(mutex_);
  const auto read =
      (*here)->notes(grasp::kVerificationPrefix, [&](std::string_view key, std::string_view value) {
        auto kept = grasp::parse_verification(key, value);
        if (!kept) return;
        const auto& [coordinate, record] = *kept;
        if (record.health.is_synced() && !record.ruling.waiting)
          hosting_.followed.set(coordinate, record.ruling.version.id);
        plan_.restore(*std::move(kept));
      });
  if (!read) core::log::warn("what was verified before is not known");
}

std::optional<grasp::VerificationTask> VerificationPlan::take_task(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    is_woken_ = false;
    const core::Now now = net::now();
    if (auto task = plan_.begin(now)) return task;
    const auto next = plan_.next_at().value_or(now.instant + kLongestWait);
    wake_.wait_for(lock, stop, std::max(core::Duration(1), next - now.instant),
                   [this] { return is_woken_; });
  }
  return std::nullopt;
}

void VerificationPlan::looked(const grasp::Looked& look) {
  std::lock_guard lock(mutex_);
  plan_.looked(net::now(), look);
}

void VerificationPlan::compared(const std::string& peer, const std::string& difference) {
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  plan_.compared(now, {peer, now.unix_seconds, difference});
}

void VerificationPlan::not_compared(bool was_asked) {
  std::lock_guard lock(mutex_);
  plan_.not_compared(net::now(), was_asked);
}

void VerificationPlan::list(const Coordinate& coordinate) {
  const auto ruling = ruling_of(*hosting_.known(), coordinate);
  std::lock_guard lock(mutex_);
  if (ruling)
    plan_.list(net::now(), coordinate, *ruling);
  else if (plan_.find(coordinate))
    plan_.forget(coordinate);
}

void VerificationPlan::stirred(const Coordinate& coordinate) {
  std::lock_guard lock(mutex_);
  plan_.stirred(net::now(), coordinate);
}

void VerificationPlan::forget(const Coordinate& coordinate) {
  std::lock_guard lock(mutex_);
  plan_.forget(coordinate);
}

void VerificationPlan::keep_only(const std::set<Coordinate>& coordinates) {
  std::lock_guard lock(mutex_);
  plan_.keep_only(coordinates);
}

grasp::CheckNews VerificationPlan::checked(const Coordinate& coordinate,
                                           const grasp::Checked& check) {
  std::lock_guard lock(mutex_);
  return plan_.checked(net::now(), coordinate, check);
}

bool VerificationPlan::is_lacking(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  return plan_.is_lacking(coordinate);
}

bool VerificationPlan::needs_check(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  return plan_.needs_check(coordinate);
}

std::vector<Coordinate> VerificationPlan::repos(const grasp::Identifier& identifier) const {
  std::lock_guard lock(mutex_);
  return plan_.repos(identifier);
}

void VerificationPlan::publish() {
  wake();
  std::vector<store::Note> notes;
  {
    std::lock_guard lock(mutex_);
    notes = plan_.take_notes();
  }
  if (notes.empty()) return;
  store::Changes changes(std::move_iterator(notes.begin()), std::move_iterator(notes.end()));
  hosting_.ingest->admit({{}, std::move(changes)});
}

std::optional<std::uint64_t> VerificationPlan::ask(const std::optional<Coordinate>& coordinate) {
  std::optional<std::uint64_t> number;
  {
    std::lock_guard lock(mutex_);
    number = plan_.ask(net::now(), coordinate);
  }
  wake();
  return number;
}

grasp::VerificationAnswers VerificationPlan::answers(std::uint64_t number, std::uint64_t cursor,
                                                     const std::optional<Coordinate>& coordinate,
                                                     std::size_t max) const {
  std::lock_guard lock(mutex_);
  return plan_.answers(number, cursor, coordinate, max);
}

std::optional<grasp::GitHealth> VerificationPlan::health(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  auto found = plan_.find(coordinate);
  // Where nobody looks there is nothing to tell, unless something is wrong.
  if (found && !looks_ && !found->is_broken()) return std::nullopt;
  return found;
}

grasp::VerificationTotals VerificationPlan::totals() const {
  std::lock_guard lock(mutex_);
  return plan_.totals();
}

std::vector<grasp::VerificationTrouble> VerificationPlan::troubles(std::size_t max) const {
  std::lock_guard lock(mutex_);
  return plan_.troubles(max);
}

grasp::VerificationMeter VerificationPlan::meter() const {
  std::lock_guard lock(mutex_);
  return plan_.meter();
}

}  // namespace graspd::serve
