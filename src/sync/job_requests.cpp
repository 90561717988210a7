#include "sync/job_requests.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

// Of each filter of a sweep: ten of them stay far below what counts as a flood.
constexpr std::uint64_t kSweepLimit = 500;

}  // namespace

JobRequests::JobRequests(PeerContext& peer, Wires& wires, Batches& batches,
                         const AnswerTrust& trust, PageProofs& proofs)
    : context_(peer.engine),
      memory_(peer.memory),
      budget_(peer.budget),
      wires_(wires),
      batches_(batches),
      trust_(trust),
      proofs_(proofs) {}

std::size_t JobRequests::reconciliations_max(core::Now now) const {  // R2
  const auto& information = memory_.information;
  const bool is_known = memory_.lessons.negentropy_worked ||
                        (information && information->supported_nips &&
                         may_reconcile(information, memory_.lessons, now.unix_seconds));
  return is_known ? budget_.reconciliations_max : 1;
}

bool JobRequests::may_send(core::Now now, const Job& job) const {
  if (job.phase != Job::Phase::Ready || job.not_before > now.instant) return false;
  if (job.slices.empty()) return false;
  if (memory_.is_paused(request_class(job.slices[0].filter_class), now)) return false;
  const std::size_t sweeps_max = budget_.transients_max + (budget_.transients_max > 1 ? 1 : 0);
  switch (job.method) {
    case Job::Method::Reconcile:
      return wires_.reconciliations_open() < reconciliations_max(now);
    case Job::Method::Sweep:
      return wires_.transients_open() < sweeps_max;
    case Job::Method::Pages:
      return wires_.transients_open() < budget_.transients_max;
  }
  CHECK(false);
  return false;
}

std::optional<JobKey> JobRequests::next(core::Now now) const {
  std::optional<JobKey> next;
  for (const auto& [id, batch] : batches_.all()) {
    for (const auto& [number, job] : batch.jobs) {
      const bool is_first = job.method == Job::Method::Sweep && batch.kind != Batch::Kind::Rotation;
      if ((next && !is_first) || !may_send(now, job)) continue;
      next = JobKey{id, number};
      if (is_first) break;
    }
    if (next && batches_.find(*next)->method == Job::Method::Sweep) break;
  }
  return next;
}

bool JobRequests::send_next(core::Now now) {
  if (!wires_.has_slot()) return false;
  const auto key = next(now);
  if (!key || !wires_.admits(now) || !wires_.take_token(now)) return false;
  const Batch& batch = batches_.at(key->batch);
  const auto sharing =
      proofs_.sharing_with(*key, [&](const Job& job) { return may_send(now, job); });
  const PageRead::End end = batch.jobs.at(key->job).expected_end();
  const bool is_edge = end == PageRead::End::NothingNew && budget_.filters_per_req > 1;
  if (sharing.size() > 1 || is_edge) {  // R3
    for (const JobKey one : sharing) start_pages(*batches_.find(one));
    proofs_.send(now, sharing, end, batch.source);
  } else {
    send(now, *key);
  }
  return true;
}

void JobRequests::start_pages(Job& job) {
  if (job.pages) return;
  if (!trust_.holds_back(job)) job.held_back = 0;
  job.pages.emplace(to_filter(context_.index, job.slices[0]), job.window, budget_.page_limits,
                    job.held_back);
}

// Wide enough to bring all there is with one request, as a rule. What was read before is not likely
// to bring anything.
std::uint64_t JobRequests::sweep_limit(const Batch& batch) const {
  const std::uint64_t wanted = batch.source == Source::Daily ? kCapMin : kSweepLimit;
  return std::min<std::uint64_t>(wanted, budget_.page_limits.page);
}

std::vector<nostr::Filter> JobRequests::filters_of(const Job& job) const {
  std::vector<nostr::Filter> filters;
  for (const Slice& slice : job.slices) {
    filters.push_back(to_filter(context_.index, slice));
    filters.back().since = job.window.since;
    filters.back().until = job.window.until;
  }
  return filters;
}

void JobRequests::send(core::Now now, JobKey key) {
  const Batch& batch = batches_.at(key.batch);
  Job& job = *batches_.find(key);
  job.phase = Job::Phase::Flying;
  Wire wire;
  wire.job = key;
  std::vector<nostr::Filter> filters = filters_of(job);
  switch (job.method) {
    case Job::Method::Sweep:
      wire.purpose = Wire::Purpose::Sweep;
      for (nostr::Filter& filter : filters) filter.limit = sweep_limit(batch);
      break;
    case Job::Method::Pages:
      wire.purpose = Wire::Purpose::Page;
      start_pages(job);
      filters = {job.pages->ask()};
      ++memory_.meter.pages;
      break;
    case Job::Method::Reconcile:
      return wires_.open_reconciliation(now, std::move(wire), std::move(filters[0]),
                                        asked_of(job.slices[0]));
  }
  wires_.open(now, std::move(wire), batch.source, std::move(filters));
}

// A relay is not asked to have the announcements of repositories that do not name it.
std::optional<std::vector<nostr::Address>> JobRequests::asked_of(const Slice& slice) const {
  if (!names_repositories(slice)) return std::nullopt;
  const Items& target = context_.targets.of(memory_.id);
  std::vector<nostr::Address> asked;
  for (const std::uint32_t id : (target.repos | target.states).to_vector())
    asked.push_back(context_.index.at(RepoId{id}).address);
  return asked;
}

}  // namespace graspd::sync
