#include "sync/job_remedies.h"

#include <utility>
#include <vector>

namespace graspd::sync {

JobRemedies::JobRemedies(PeerContext& peer, Batches& batches, Books& books)
    : peer_(peer), batches_(batches), books_(books) {}

void JobRemedies::expand(core::Now now, JobKey key, Job::Phase phase, std::uint64_t brought) {
  const Job* job = batches_.find(key);
  if (job == nullptr) return;
  batches_.expand(key, phase, books_.method_for(job->window, now), brought);
}

void JobRemedies::less_at_once(core::Now now, JobKey key, const std::string& why) {
  Job* job = batches_.find(key);
  if (job == nullptr) return;
  if (job->slices.size() > 1) return expand(now, key, Job::Phase::Ready);
  if (job->slices.front().ids.size() > 1) {
    job->phase = Job::Phase::Ready;
    return batches_.halve_values(key);
  }
  if (!batches_.split_window(now, key, std::nullopt)) books_.job_stuck(now, key, why);
}

void JobRemedies::fewer_values(core::Now now, JobKey key, const std::string& why) {
  Job* job = batches_.find(key);
  if (job == nullptr) return;
  if (job->slices.size() > 1) return expand(now, key, Job::Phase::Ready);
  Slice& slice = job->slices.front();
  if (slice.filter_class == FilterClass::Given) return books_.job_stuck(now, key, why);  // R3
  std::vector<std::uint32_t> plain;
  for (const std::uint32_t id : slice.ids) {
    const bool is_long = value_bytes(peer_.engine.index, slice.filter_class, id) > kLongValue;
    if (is_long) books_.park(now, slice.filter_class, id);
    if (!is_long) plain.push_back(id);
  }
  const bool has_long = plain.size() < slice.ids.size();
  if (!has_long && plain.size() == 1) {
    books_.park(now, slice.filter_class, plain[0]);
    plain.clear();
  }
  if (plain.empty()) return books_.job_done(now, key);
  job->pages.reset();
  job->phase = Job::Phase::Ready;
  if (has_long) {
    slice.ids = std::move(plain);
  } else {
    batches_.halve_values(key);
  }
}

void JobRemedies::less_time(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle) {
  if (!batches_.split_window(now, key, middle)) batches_.page_instead(key);
}

bool JobRemedies::smaller_pages(JobKey key) {
  Job* job = batches_.find(key);
  if (job == nullptr || !job->pages || !job->pages->lower_limit()) return false;
  peer_.budget.page_limits = job->pages->limits();
  return true;
}

void JobRemedies::fit_bytes(core::Now now, JobKey key) {
  const Job* job = batches_.find(key);
  if (job == nullptr || group_bytes(peer_.engine.index, job->slices) <= peer_.budget.req_bytes)
    return;
  if (job->slices.size() > 1) return expand(now, key, Job::Phase::Ready);
  if (job->slices.front().ids.size() > 1) batches_.halve_values(key);
}

}  // namespace graspd::sync
