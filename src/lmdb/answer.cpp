#include "lmdb/answer.h"

#include <algorithm>

namespace graspd::lmdb {

using store::ReadState;

namespace {

std::span<const store::Position> behind(std::span<const store::Position> positions,
                                        const std::optional<store::Position>& after) {
  if (!after) return positions;
  const auto first =
      std::upper_bound(positions.begin(), positions.end(), *after, store::comes_before);
  return positions.subspan(static_cast<std::size_t>(first - positions.begin()));
}

}  // namespace

Answer::Answer(const Txn& txn, const Tables& tables, store::Cursor& cursor,
               const store::Budget& budget)
    : cursor_(cursor), budget_(budget), walk_(txn, tables, cursor.filters) {
  for (std::uint32_t i = 0; i < cursor.filters.size(); ++i) {
    if (cursor.remaining[i] == 0) continue;
    reading_.push_back(i);
    walk_.open(i, cursor.after, source_of_ids(txn, tables, i));
  }
  wanting_ = reading_.size();
}

// They are looked up in the first read; later ones go on where that stopped.
std::unique_ptr<PageSource> Answer::source_of_ids(const Txn& txn, const Tables& tables,
                                                  std::size_t filter) {
  if (!cursor_.filters[filter].ids) return nullptr;
  auto& known = cursor_.found_ids[filter];
  if (known) {
    return std::make_unique<PositionPages>(txn, tables, behind(*known, cursor_.after));
  }
  std::vector<EntryBytes> entries = find_ids(txn, tables, cursor_.filters[filter]);
  known.emplace();
  for (const EntryBytes& entry : entries) known->push_back(position_of(entry));
  return std::make_unique<EntryPages>(std::move(entries));
}

ReadState Answer::run(core::UnixSeconds now, const Visitor& visit) {
  while (wanting_ > 0 || !cursor_.more) {
    if (budget_is_spent()) return put_down();
    if (!walk_.step()) break;
    ++entries_;
    cursor_.after = position_of(walk_.entry());
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

// Counts the event against every filter it matches; true if one of them still wanted it (Q4).
bool Answer::take() {
  bool wanted = false, matched = false;
  for (const std::uint32_t filter : walk_.candidates()) {
    if (!walk_.matches(filter)) continue;
    matched = true;
    std::uint64_t& remaining = cursor_.remaining[filter];
    if (remaining == 0) continue;
    wanted = true;
    if (--remaining == 0) --wanting_;
  }
  if (matched && !wanted) cursor_.more = true;
  close_what_needs_no_look();
  return wanted;
}

// Once it is known that events were left out, filters at their limit have nothing to tell.
void Answer::close_what_needs_no_look() {
  if (!cursor_.more || wanting_ == reading_.size()) return;
  std::erase_if(reading_, [this](std::uint32_t filter) {
    if (cursor_.remaining[filter] > 0) return false;
    walk_.close(filter);
    return true;
  });
}

ReadState Answer::put_down() {
  if (reading_.size() > wanting_) cursor_.unsure = true;
  return wanting_ == 0 ? ReadState::Finished : ReadState::Unfinished;
}

}  // namespace graspd::lmdb
