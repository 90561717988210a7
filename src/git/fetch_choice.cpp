#include "git/fetch_choice.h"

#include <algorithm>
#include <iterator>

namespace graspd::git::hunt {

using Stage = Lead::Stage;

Choice Chooser::choose(Pursuit& pursuit) {
  const auto& errands = pursuit.errands();
  if (errands.size() > 1) return Blocked{};
  if (errands.size() == 1) {  // R1
    const core::Instant second_at = errands.front().since + options_.second_source_after;
    if (now_ < second_at) return Blocked{second_at};
    avoid_ = errands.front().url.host();
  }
  for (Lead& lead : pursuit.leads())  // R2
    if (lead.stage == Stage::Advertised && consider(pursuit, lead, Kind::Batch))
      return *std::move(begin_);
  for (Lead& lead : pursuit.leads())
    if (lead.stage == Stage::Unread && consider(pursuit, lead, Kind::Advertisement))
      return *std::move(begin_);
  if (blocked_ || !errands.empty()) return Blocked{until_};
  if (consider_late(pursuit)) return *std::move(begin_);
  if (blocked_) return Blocked{until_};
  return PassOver{};
}

bool Chooser::consider(Pursuit& pursuit, Lead& lead, Kind kind) {
  if (lead.busy) return false;
  if (!pursuit.misses_any(lead)) {
    lead.stage = Stage::Done;
    return false;
  }
  if (kind == Kind::Advertisement) return take(lead, kind, {});
  auto oids = batch(pursuit, lead);
  if (!oids.empty()) return take(lead, kind, std::move(oids));
  lead.stage = Stage::Late;
  return false;
}

bool Chooser::consider_late(Pursuit& pursuit) {
  auto& until = pursuit.late_until();
  if (!until) until = now_ + options_.late_patience;
  for (Lead& lead : pursuit.leads()) {
    if (lead.stage != Stage::Late) continue;
    auto oids = single(pursuit, lead);
    if (oids.empty() || lead.singles >= options_.singles_per_pass || now_ >= *until) {
      lead.stage = Stage::Done;
      continue;
    }
    if (take(lead, Kind::Single, std::move(oids))) return true;
  }
  if (blocked_) wait_until(until);
  return false;
}

bool Chooser::take(Lead& lead, Kind kind, std::vector<Oid> oids) {
  if (avoid_ == lead.url.host()) {
    blocked_ = true;
    return false;
  }
  lead.failure = urls_.left_alone(lead.url, now_);
  const Readiness readiness = domains_.ready(lead.url, kind, now_);
  if (const auto* not_ready = std::get_if<NotReady>(&readiness)) lead.failure = not_ready->why;
  if (lead.failure) {  // R4
    lead.stage = Stage::Done;
    return false;
  }
  if (const auto* later = std::get_if<ReadyLater>(&readiness)) {
    wait_until(later->at);
    return false;
  }
  begin_ = Begin{kind, &lead, std::move(oids), std::get<Ready>(readiness).commands};
  return true;
}

void Chooser::wait_until(const std::optional<core::Instant>& at) {
  blocked_ = true;
  if (at && (!until_ || *at < *until_)) until_ = at;
}

std::vector<Oid> Chooser::batch(const Pursuit& pursuit, const Lead& lead) const {
  std::vector<Oid> oids;
  std::ranges::set_intersection(pursuit.missing(lead), lead.advertised, std::back_inserter(oids));
  std::erase_if(oids, [&](const Oid& oid) { return urls_.is_missed(lead.url, oid, now_); });
  return oids;
}

// One of those that this remote does not advertise and is not known to lack: all get their turn.
std::vector<Oid> Chooser::single(const Pursuit& pursuit, const Lead& lead) const {
  auto oids = pursuit.missing(lead);
  std::erase_if(oids, [&](const Oid& oid) {
    return std::ranges::binary_search(lead.advertised, oid) || urls_.is_missed(lead.url, oid, now_);
  });
  if (oids.empty()) return {};
  return {*std::ranges::min_element(
      oids, {}, [&](const Oid& oid) { return urls_.missed_until(lead.url, oid); })};
}

}  // namespace graspd::git::hunt
