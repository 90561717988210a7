#include "sync/lost_ids.h"

#include <algorithm>

namespace graspd::sync {

void LostIds::restore(const std::vector<LostId>& lost, core::Instant now) {
  for (const LostId& one : lost) {
    remove(one.id);
    insert(one.id, {one.tries, now, orders_++});
  }
}

std::vector<LostId> LostIds::record() const {
  std::vector<LostId> out;
  for (const auto& [id, entry] : lost_) out.push_back({id, entry.tries});
  return out;
}

bool LostIds::add(const nostr::EventId& id, core::Instant due) {
  if (lost_.contains(id)) return true;
  if (lost_.size() >= kLostMax) return false;
  insert(id, {0, due, orders_++});
  return true;
}

bool LostIds::remove(const nostr::EventId& id) {
  const auto at = lost_.find(id);
  if (at == lost_.end()) return false;
  erase(at);
  return true;
}

void LostIds::insert(const nostr::EventId& id, Entry entry) {
  queue_of(entry).emplace(entry.due, id);
  lost_.emplace(id, entry);
}

void LostIds::erase(Lost::iterator at) {
  queue_of(at->second).erase({at->second.due, at->first});
  lost_.erase(at);
}

std::vector<nostr::EventId> LostIds::take_due(const Options& options, core::Instant now,
                                              std::size_t max) {
  std::vector<std::pair<std::uint64_t, nostr::EventId>> due;
  for (const auto& [at, id] : waiting_) {
    if (at > now) break;
    due.emplace_back(lost_.at(id).order, id);
  }
  std::sort(due.begin(), due.end());
  if (due.size() > max) due.resize(max);
  std::vector<nostr::EventId> out;
  for (const auto& [order, id] : due) {
    const auto at = lost_.find(id);
    Entry entry = at->second;
    erase(at);
    core::Duration wait = options.lost_retry;
    for (std::uint32_t i = 0; i < entry.tries && wait < options.lost_retry_max; ++i) wait *= 2;
    ++entry.tries;
    entry.due = now + std::min(wait, options.lost_retry_max);
    insert(id, entry);
    out.push_back(id);
  }
  return out;
}

std::size_t LostIds::expire(core::Instant now) {
  std::size_t expired = 0;
  for (; !tried_out_.empty() && tried_out_.begin()->first <= now; ++expired)
    erase(lost_.find(tried_out_.begin()->second));
  return expired;
}

std::optional<core::Instant> LostIds::next_due() const {
  std::optional<core::Instant> next;
  for (const Queue* queue : {&waiting_, &tried_out_}) {
    if (queue->empty()) continue;
    const core::Instant due = queue->begin()->first;
    next = std::min(next.value_or(due), due);
  }
  return next;
}

}  // namespace graspd::sync
