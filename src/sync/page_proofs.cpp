#include "sync/page_proofs.h"

#include <utility>

namespace graspd::sync {
namespace {

using End = PageRead::End;

// The filters of each job in a proof: below, and the edge.
std::size_t filters_per_job(End end) { return end == End::NothingNew ? 2 : 1; }

}  // namespace

PageProofs::PageProofs(PeerContext& peer, Wires& wires, Batches& batches)
    : peer_(peer), wires_(wires), batches_(batches) {}

// Of the same batch and class, so that it ends with its batch and a refusal says whose it is.
std::vector<JobKey> PageProofs::sharing_with(
    JobKey key, const std::function<bool(const Job&)>& may_send) const {
  const Batch& batch = batches_.at(key.batch);
  const Job& first = batch.jobs.at(key.job);
  const End end = first.expected_end();
  std::vector<JobKey> out{key};
  if (end == End::NotYet) return out;
  const RepoIndex& index = peer_.engine.index;
  const std::size_t each = filters_per_job(end);
  const RequestClass wanted = request_class(first.slices[0].filter_class);
  std::size_t bytes = each * group_bytes(index, first.slices);
  for (const auto& [number, job] : batch.jobs) {
    if ((out.size() + 1) * each > peer_.budget.filters_per_req) break;
    if (number == key.job || job.expected_end() != end || !may_send(job)) continue;
    const std::size_t more = each * group_bytes(index, job.slices);
    const bool fits = bytes + more <= peer_.budget.req_bytes;
    if (!fits || request_class(job.slices[0].filter_class) != wanted) continue;
    bytes += more;
    out.push_back({key.batch, number});
  }
  return out;
}

void PageProofs::send(core::Now now, const std::vector<JobKey>& jobs, End end, Source source) {
  Wire wire;
  wire.purpose = Wire::Purpose::Proof;
  wire.job = jobs.front();
  wire.sharing = jobs;
  wire.end = end;
  std::vector<nostr::Filter> filters;
  for (const JobKey key : jobs) {
    Job& job = *batches_.find(key);
    job.phase = Job::Phase::Flying;
    filters.push_back(job.pages->ask_below());
    if (end != End::NothingNew) continue;
    filters.push_back(job.pages->ask_edge());
    wire.repeats.insert(job.pages->seen().begin(), job.pages->seen().end());
  }
  ++peer_.memory.meter.pages;
  wires_.open(now, std::move(wire), source, std::move(filters));
}

void PageProofs::arrived(Wire& proof, const EventArrived& in) {
  proof.refuted |= speaks_against(proof, in);
}

bool PageProofs::speaks_against(Wire& proof, const EventArrived& in) const {
  if (proof.end == End::EmptyPage) return true;
  proof.repeats.erase(in.id);
  for (std::size_t i = 0; i < proof.sharing.size(); ++i) {
    const Job* job = batches_.find(proof.sharing[i]);
    const std::uint64_t below = std::uint64_t{1} << (2 * i), edge = below << 1;
    if ((in.matched & below) != 0) return true;
    if ((in.matched & edge) != 0 && job != nullptr && !job->pages->has_seen(in.id)) return true;
  }
  return false;
}

bool PageProofs::is_proved(const Wire& wire) const {
  if (wire.refuted || wire.strayed || wire.completeness == nostr::Completeness::More) return false;
  if (!wire.repeats.empty()) return false;
  const AnswerSize& answers = peer_.memory.answers;
  return wire.end == End::EmptyPage || wire.arrived + answers.slack() < answers.largest;
}

void PageProofs::read_alone(const Wire& wire) {
  for (const JobKey key : wire.sharing) {
    Job* job = batches_.find(key);
    if (job == nullptr) continue;
    if (wire.end == End::EmptyPage) job->alone = true;
    job->pages->end_refuted();
    job->phase = Job::Phase::Ready;
  }
}

}  // namespace graspd::sync
