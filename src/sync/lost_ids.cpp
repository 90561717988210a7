#include "sync/lost_ids.h"

#include <algorithm>

namespace graspd::sync {

void LostIds::restore(const std::vector<LostId>& lost, core::Instant now) {
  for (const LostId& one : lost) lost_[one.id] = {one.tries, now, orders_++};
}

std::vector<LostId> LostIds::record() const {
  std::vector<LostId> out;
  for (const auto& [id, entry] : lost_) out.push_back({id, entry.tries});
  return out;
}

bool LostIds::add(const nostr::EventId& id, core::Instant due) {
  if (lost_.contains(id)) return true;
  if (lost_.size() >= kLostMax) return false;
  lost_.emplace(id, Entry{0, due, orders_++});
  return true;
}

std::vector<nostr::EventId> LostIds::take_due(const Options& options, core::Instant now,
                                              std::size_t max) {
  std::vector<std::pair<std::uint64_t, nostr::EventId>> due;
  for (const auto& [id, entry] : lost_) {
    if (entry.due <= now && entry.tries < kTriesMax) due.emplace_back(entry.order, id);
  }
  std::sort(due.begin(), due.end());
  if (due.size() > max) due.resize(max);
  std::vector<nostr::EventId> out;
  for (const auto& [order, id] : due) {
    Entry& entry = lost_[id];
    core::Duration wait = options.lost_retry;
    for (std::uint32_t i = 0; i < entry.tries && wait < options.lost_retry_max; ++i) wait *= 2;
    ++entry.tries;
    entry.due = now + std::min(wait, options.lost_retry_max);
    out.push_back(id);
  }
  return out;
}

std::size_t LostIds::expire(core::Instant now) {
  return std::erase_if(lost_, [&](const auto& one) {
    return one.second.tries >= kTriesMax && one.second.due <= now;
  });
}

std::optional<core::Instant> LostIds::next_due() const {
  std::optional<core::Instant> next;
  for (const auto& [id, entry] : lost_) next = std::min(next.value_or(entry.due), entry.due);
  return next;
}

}  // namespace graspd::sync
