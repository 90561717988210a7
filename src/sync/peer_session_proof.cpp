// The proof that reads have ended (sync.md §6.3), in few requests: one asks for what lies below
// several reads. An empty answer ends them all, however the relay caps. Of reads that may have
// ended with their last page (PageRead R7) the edge is asked for too: an answer without anything
// new, with all that is known of the edge, smaller than others of this relay, ends them. Any other
// answer counts for none of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using End = PageRead::End;

// The filters of each job in a proof: below, and the edge.
std::size_t filters_per_job(End end) { return end == End::NothingNew ? 2 : 1; }

}  // namespace

// Of the same batch and class, so that it ends with its batch and a refusal says whose it is.
std::vector<JobKey> PeerSession::sharing_with(core::Now now, JobKey key) {
  Batch& batch = batches_.at(key.batch);
  const Job& first = batch.jobs.at(key.job);
  const End end = first.expected_end();
  std::vector<JobKey> out{key};
  if (end == End::NotYet) return out;
  const std::size_t each = filters_per_job(end);
  const RequestClass wanted = request_class(first.slices[0].filter_class);
  std::size_t bytes = each * group_bytes(context_.index, first.slices);
  for (const auto& [number, job] : batch.jobs) {
    if ((out.size() + 1) * each > budget_.filters_per_req) break;
    if (number == key.job || job.expected_end() != end || !may_send(now, job)) continue;
    const std::size_t more = each * group_bytes(context_.index, job.slices);
    const bool fits = bytes + more <= budget_.req_bytes;
    if (!fits || request_class(job.slices[0].filter_class) != wanted) continue;
    bytes += more;
    out.push_back({key.batch, number});
  }
  return out;
}

void PeerSession::send_proof(core::Now now, const std::vector<JobKey>& jobs, Source source) {
  Wire wire;
  wire.purpose = Wire::Purpose::Proof;
  wire.job = jobs.front();
  wire.sharing = jobs;
  wire.end = find_job(wire.job)->expected_end();
  std::vector<nostr::Filter> filters;
  for (const JobKey key : jobs) {
    Job& job = *find_job(key);
    job.phase = Job::Phase::Flying;
    start_pages(job);
    filters.push_back(job.pages->ask_below());
    if (wire.end != End::NothingNew) continue;
    filters.push_back(job.pages->ask_edge());
    wire.repeats.insert(job.pages->seen().begin(), job.pages->seen().end());
  }
  wire.filters = filters.size();
  ++memory_.meter.pages;
  subscribe(now, std::move(wire), source, std::move(filters));
}

bool PeerSession::speaks_against(Wire& proof, const EventArrived& in) {
  if (proof.end == End::EmptyPage) return true;
  proof.repeats.erase(in.id);
  for (std::size_t i = 0; i < proof.sharing.size(); ++i) {
    const Job* job = find_job(proof.sharing[i]);
    const std::uint64_t below = std::uint64_t{1} << (2 * i), edge = below << 1;
    if ((in.matched & below) != 0) return true;
    if ((in.matched & edge) != 0 && job != nullptr && !job->pages->has_seen(in.id)) return true;
  }
  return false;
}

bool PeerSession::is_proved(const Wire& wire) const {
  if (wire.refuted || wire.strayed || wire.completeness == nostr::Completeness::More) return false;
  if (!wire.repeats.empty()) return false;
  const AnswerSize& answers = memory_.answers;
  return wire.end == End::EmptyPage || wire.arrived + answers.slack() < answers.largest;
}

void PeerSession::page_ended(core::Now now, JobKey key, nostr::Completeness completeness) {
  Job& job = *find_job(key);
  job.pages->ended(completeness, memory_.answers);
  check_trust(now);
  take_page(now, key);
}

void PeerSession::take_page(core::Now now, JobKey key) {
  Job& job = *find_job(key);
  const std::string failure = job.pages->failure();
  if (!failure.empty()) return job_stuck(now, key, failure);
  if (job.pages->is_done()) return job_done(now, key);
  job.phase = Job::Phase::Ready;
}

void PeerSession::finish_proof(core::Now now, const Wire& wire) {
  if (!is_proved(wire)) return ask_alone(wire);
  if (wire.arrived > 0) memory_.answers.trust(wire.arrived);
  for (const JobKey key : wire.sharing) {
    Job* job = find_job(key);
    if (job == nullptr) continue;
    if (wire.end == End::EmptyPage) {
      page_ended(now, key, wire.completeness);
    } else {
      job->pages->end_proved();
      take_page(now, key);
    }
  }
  check_trust(now);
}

void PeerSession::ask_alone(const Wire& wire) {
  for (const JobKey key : wire.sharing) {
    Job* job = find_job(key);
    if (job == nullptr) continue;
    if (wire.end == End::EmptyPage) job->alone = true;
    job->pages->end_refuted();
    job->phase = Job::Phase::Ready;
  }
}

// Filters of one window become sweeps: few requests instead of one each.
void PeerSession::sweep_instead(Batch& batch) {
  std::vector<std::pair<Window, std::vector<Slice>>> waiting;
  for (auto at = batch.jobs.begin(); at != batch.jobs.end();) {
    Job& job = at->second;
    const bool is_waiting = job.method == Job::Method::Reconcile && job.phase == Job::Phase::Ready;
    if (!is_waiting) {
      ++at;
      continue;
    }
    auto same = std::find_if(waiting.begin(), waiting.end(),
                             [&](const auto& one) { return one.first == job.window; });
    if (same == waiting.end()) same = waiting.insert(same, {job.window, {}});
    same->second.push_back(job.slices[0]);
    at = batch.jobs.erase(at);
  }
  const GroupLimits limits{.filters = budget_.filters_per_req, .bytes = budget_.req_bytes};
  for (const auto& [window, slices] : waiting) {
    for (Group& group : pack(context_.index, slices, limits)) {
      const auto method = group.size() > 1 ? Job::Method::Sweep : Job::Method::Pages;
      batch.add({.method = method, .slices = std::move(group), .window = window});
    }
  }
}

}  // namespace graspd::sync
