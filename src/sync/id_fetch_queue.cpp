#include "sync/id_fetch_queue.h"

#include <algorithm>

namespace graspd::sync {

bool IdFetchQueue::want(JobKey job, const nostr::EventId& id) {
  const auto [at, is_new] = wanted_.try_emplace(id);
  if (is_new) queue_.push_back(id);
  auto& jobs = at->second.jobs;
  if (std::find(jobs.begin(), jobs.end(), job) != jobs.end()) return false;
  jobs.push_back(job);
  return true;
}

std::vector<nostr::EventId> IdFetchQueue::take(std::size_t max) {
  std::vector<nostr::EventId> out;
  while (!queue_.empty() && out.size() < max) {
    const auto at = wanted_.find(queue_.front());
    if (at != wanted_.end() && at->second.queued) {
      at->second.queued = false;
      out.push_back(queue_.front());
    }
    queue_.pop_front();
  }
  return out;
}

void IdFetchQueue::put_back(const std::vector<nostr::EventId>& ids) {
  for (const nostr::EventId& id : ids) {
    const auto at = wanted_.find(id);
    if (at == wanted_.end() || at->second.queued) continue;
    at->second.queued = true;
    queue_.push_back(id);
  }
}

std::vector<nostr::EventId> IdFetchQueue::left_out(const std::vector<nostr::EventId>& ids) {
  std::vector<nostr::EventId> again, lost;
  for (const nostr::EventId& id : ids) {
    const auto at = wanted_.find(id);
    if (at == wanted_.end()) continue;
    (at->second.asked_before ? lost : again).push_back(id);
    at->second.asked_before = true;
  }
  put_back(again);
  return lost;
}

std::vector<JobKey> IdFetchQueue::settle(const nostr::EventId& id) {
  const auto at = wanted_.find(id);
  if (at == wanted_.end()) return {};
  std::vector<JobKey> jobs = std::move(at->second.jobs);
  wanted_.erase(at);
  return jobs;
}

std::optional<JobKey> IdFetchQueue::wanted_by(const nostr::EventId& id) const {
  const auto at = wanted_.find(id);
  if (at == wanted_.end()) return std::nullopt;
  return at->second.jobs.front();
}

void IdFetchQueue::forget(JobKey job) {
  for (auto at = wanted_.begin(); at != wanted_.end();) {
    std::erase(at->second.jobs, job);
    at = at->second.jobs.empty() ? wanted_.erase(at) : std::next(at);
  }
}

}  // namespace graspd::sync
