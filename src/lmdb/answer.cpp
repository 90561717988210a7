#include "lmdb/answer.h"

#include <algorithm>

namespace graspd::lmdb {

using store::ReadState;

Answer::Answer(const Txn& txn, const Tables& tables, store::Cursor& cursor,
               const store::Budget& budget)
    : cursor_(cursor), budget_(budget), walk_(txn, tables, cursor.filters) {
  std::size_t lookups = std::max<std::size_t>(budget.entries, 1);
  for (std::uint32_t i = 0; i < cursor.filters.size(); ++i) {
    if (!cursor.quotas[i].is_open()) continue;
    if (cursor.quotas[i].is_stretched()) ++stretched_;
    reading_.push_back(i);
    const nostr::Filter& filter = cursor.filters[i];
    std::unique_ptr<PageSource> ids;
    if (filter.ids)
      ids = source_of_ids(txn, tables, filter, cursor.after, cursor.found_ids[i], lookups);
    has_all_ids_ = has_all_ids_ && (ids || !filter.ids);
    if (has_all_ids_) walk_.open(i, cursor.after, std::move(ids));
  }
  wanting_ = reading_.size();
}

ReadState Answer::run(core::UnixSeconds now, const Visitor& visit) {
  if (!has_all_ids_) return ReadState::Unfinished;
  while (wanting_ > 0 || !cursor_.more) {
    if (budget_is_spent()) return put_down();
    if (!walk_.step()) break;
    ++entries_;
    cursor_.after = position_of(walk_.entry());
    if (stretched_ > 0) come_to(cursor_.after->created_at);
    if (serial_of(walk_.entry()) <= cursor_.up_to && !walk_.is_expired(now)) {
      look_at_event(visit);
    }
  }
  return ReadState::Finished;
}

// Something is looked at in every read, or a small budget would never get anywhere.
bool Answer::budget_is_spent() const {
  if (entries_ == 0) return false;
  return entries_ >= budget_.entries || (bytes_ >= budget_.bytes && wanting_ > 0);
}

void Answer::look_at_event(const Visitor& visit) {
  if (!take()) return;
  const RecordView& record = walk_.record();
  bytes_ += record.json().size();
  visit({serial_of(walk_.entry()), position_of(walk_.entry()), record.pubkey(), record.json()});
}

void Answer::come_to(core::UnixSeconds second) {
  for (const std::uint32_t filter : reading_) {
    if (!cursor_.quotas[filter].come_to(second)) continue;
    --stretched_;
    --wanting_;
  }
}

// Counts the event against every filter it matches; true if one of them still wanted it (Q4).
bool Answer::take() {
  bool wanted = false, matched = false;
  for (const std::uint32_t filter : walk_.candidates()) {
    if (!walk_.matches(filter)) continue;
    matched = true;
    store::Quota& quota = cursor_.quotas[filter];
    if (!quota.is_open()) continue;
    wanted = true;
    const bool was_stretched = quota.is_stretched();
    quota.take(cursor_.after->created_at);
    if (quota.is_stretched() && !was_stretched) ++stretched_;
    if (quota.is_open()) continue;
    if (was_stretched) --stretched_;
    --wanting_;
  }
  if (matched && !wanted) cursor_.more = true;
  close_what_needs_no_look();
  return wanted;
}

// Once it is known that events were left out, filters at their limit have nothing to tell.
void Answer::close_what_needs_no_look() {
  if (!cursor_.more || wanting_ == reading_.size()) return;
  std::erase_if(reading_, [this](std::uint32_t filter) {
    if (cursor_.quotas[filter].is_open()) return false;
    walk_.close(filter);
    return true;
  });
}

ReadState Answer::put_down() {
  if (reading_.size() > wanting_) cursor_.unsure = true;
  return wanting_ == 0 ? ReadState::Finished : ReadState::Unfinished;
}

}  // namespace graspd::lmdb
