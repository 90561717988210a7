#include "sync/id_reader.h"

#include <utility>

namespace graspd::sync {
namespace {

// Ids that wait to be asked for: no relay can make us remember all that it makes up.
constexpr std::size_t kAheadMax = 20'000;
constexpr std::size_t kInventedMin = 1000;  // ids that never come, before all are doubted
constexpr std::size_t kJudgedFrom = 20;     // ids of a job, before it is doubted

}  // namespace

IdReader::IdReader(PeerContext& peer, Wires& wires, Batches& batches)
    : peer_(peer), memory_(peer.memory), budget_(peer.budget), wires_(wires), batches_(batches) {}

void IdReader::want(JobKey key, const nostr::EventId& id) {
  if (!batches_.ids().want(key, id)) return;
  Job& job = *batches_.find(key);
  ++job.ids_asked;
  ++job.ids_waiting;
}

bool IdReader::is_far_ahead() const { return batches_.ids().queued() >= kAheadMax; }

Hydration& IdReader::hydration_of(const Wire& wire) {
  return wire.purpose == Wire::Purpose::Fetch ? memory_.meter.stream : memory_.meter.recovery;
}

bool IdReader::send_wanted(core::Now now) {
  if (!batches_.ids().has_work() || !wires_.has_transient_slot()) return false;
  if (memory_.is_paused(RequestClass::Ids, now)) {
    batches_.page_what_waits();
    return false;
  }
  if (!wires_.admits(now) || !wires_.take_token(now)) return false;
  const auto ids = batches_.ids().take(budget_.ids_per_fetch);
  if (ids.empty()) return false;
  memory_.meter.ids_requested += ids.size();
  memory_.meter.stream.requested += ids.size();
  const Batch* batch =
      batches_.find(batches_.ids().wanted_by(ids.front()).value_or(JobKey{}).batch);
  const Source source = batch == nullptr ? Source::Historic : batch->source;
  wires_.open_by_id(now, Wire::Purpose::Fetch, source, {ids.begin(), ids.end()});
  return true;
}

bool IdReader::send_lost(core::Now now) {
  const auto due = memory_.lost.next_due();
  if (!due || *due > now.instant || wires_.has(Wire::Purpose::Lost)) return false;
  if (!wires_.has_transient_slot() || memory_.is_paused(RequestClass::Ids, now)) return false;
  if (!wires_.admits(now) || !wires_.take_token(now)) return false;
  const auto ids = memory_.lost.take_due(peer_.engine.options, now.instant, budget_.ids_per_fetch);
  if (ids.empty()) return false;
  memory_.dirty = true;
  memory_.meter.recovery.requested += ids.size();
  wires_.open_by_id(now, Wire::Purpose::Lost, Source::Historic, {ids.begin(), ids.end()});
  return true;
}

void IdReader::ended(const Wire& wire) {
  hydration_of(wire).not_delivered += wire.ids.size();
  if (wire.ids.empty()) return;
  const bool is_lost = wire.purpose == Wire::Purpose::Lost;       // they have their own next time
  if (wire.ended && wire.delivered > 0 && !memory_.gives_many) {  // R2
    budget_.ids_per_fetch = (wire.delivered + wire.ids.size() + 1) / 2;
    if (!is_lost) batches_.ids().put_back({wire.ids.begin(), wire.ids.end()});
    return;
  }
  if (is_lost) return;
  lookups_.emplace_back(wire.ids.begin(), wire.ids.end());
  peer_.engine.ask(LookUp{memory_.id, peer_.session, lookups_.back()});
}

std::optional<std::vector<nostr::EventId>> IdReader::looked_up(const LookedUp& in) {
  if (lookups_.empty()) return std::nullopt;
  std::vector<nostr::EventId> missing = std::move(lookups_.front());
  lookups_.pop_front();
  for (const nostr::EventId& id : in.known) std::erase(missing, id);
  return missing;
}

std::vector<nostr::EventId> IdReader::lost_of(const std::vector<nostr::EventId>& missing) {
  return batches_.ids().left_out(missing);
}

std::vector<JobKey> IdReader::settle(const nostr::EventId& id) {
  std::vector<JobKey> complete;
  for (const JobKey key : batches_.ids().settle(id)) {
    Job* job = batches_.find(key);
    if (job == nullptr || job->ids_waiting == 0) continue;
    --job->ids_waiting;
    if (job->phase == Job::Phase::Fetching && job->ids_waiting == 0) complete.push_back(key);
  }
  return complete;
}

void IdReader::recovered(const nostr::EventId& id) {
  if (!memory_.lost.remove(id)) return;
  ++memory_.meter.ids_recovered;
  memory_.dirty = true;
}

std::vector<JobKey> IdReader::lose(core::Now now, const nostr::EventId& id) {
  ++memory_.meter.ids_lost;
  memory_.lose(id, now.instant + peer_.engine.options.lost_retry);
  return batches_.ids().settle(id);
}

IdReader::AfterLoss IdReader::lost_one(JobKey key) {
  Job* job = batches_.find(key);
  if (job == nullptr || job->ids_waiting == 0) return AfterLoss::WaitOn;
  --job->ids_waiting;
  ++job->ids_lost;
  const std::size_t came = job->ids_asked - job->ids_waiting - job->ids_lost;
  if (job->ids_lost >= kInventedMin && 10 * came <= job->ids_lost) return AfterLoss::NoNegentropy;
  if (job->phase != Job::Phase::Fetching || job->ids_waiting > 0) return AfterLoss::WaitOn;
  const bool hardly_any = job->ids_asked >= kJudgedFrom && 10 * came <= job->ids_asked;
  return hardly_any ? AfterLoss::Pages : AfterLoss::Done;
}

}  // namespace graspd::sync
