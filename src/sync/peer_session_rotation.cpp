// What does not fit live is asked for in turn (sync.md §5).
#include <algorithm>
#include <chrono>
#include <utility>

#include "sync/peer_session.h"

namespace graspd::sync {

// They may take half of what the relay keeps for us: the other half is for what is planned.
void PeerSession::rotate_by_hand(core::Now now) {
  std::size_t by_hand = 0, bytes = 0;
  for (auto at = live_.begin(); at != live_.end();) {
    LiveGroup& group = at->second;
    if (group.by_hand) {
      ++by_hand;
      bytes += group_bytes(context_.index, group.slices);
    }
    const bool fits = by_hand < budget_.live_slots && bytes <= budget_.live_bytes / 2;
    if (!group.by_hand || fits) {
      ++at;
      continue;
    }
    if (group.sub) {
      close_wire(*group.sub, wires_.at(*group.sub));
      wires_.erase(*group.sub);
    }
    rotate_from(group.dark_since.value_or(dark_from(now, group)));
    by_hand_rotating_.push_back(std::move(group.slices));
    at = live_.erase(at);
  }
}

void PeerSession::rotate_from(core::UnixSeconds since) {
  since -= core::whole_seconds(context_.options.overlap);
  if (since >= rotated_since_) return;
  rotated_since_ = since;
  const auto rotation = std::find_if(batches_.begin(), batches_.end(), [](const auto& one) {
    return one.second.kind == Batch::Kind::Rotation;
  });
  if (rotation != batches_.end()) drop_batch(rotation->first);  // it begins too late
}

bool PeerSession::rotation_is_late(core::Now now) const {
  if (plan_.rotating.empty()) return false;
  const core::UnixSeconds read_at = rotated_since_ + core::whole_seconds(context_.options.overlap);
  return now.unix_seconds - read_at > core::whole_seconds(kRotationLate);
}

// What does not fit live is asked for again and again, a full cycle at most each minute.
void PeerSession::rotate(core::Now now) {
  if (plan_.rotating.empty() || now.instant < rotate_at_) return;
  const bool is_rotating = std::any_of(batches_.begin(), batches_.end(), [](const auto& one) {
    return one.second.kind == Batch::Kind::Rotation;
  });
  if (is_rotating) return;
  Batch batch{.kind = Batch::Kind::Rotation, .source = Source::Live, .started = now.unix_seconds};
  const Window window{.since = rotated_since_};
  for (const Group& group : plan_.rotating) {
    for (const Slice& slice : group) batch.ledger.owe(slice, window);
    batch.add({.method = Job::Method::Sweep, .slices = group, .window = window});
  }
  rotate_at_ = now.instant + context_.options.rotation_min;
  begin(now, std::move(batch));
}

// What came to the rotation while it was under way was not read: then it begins anew.
void PeerSession::rotation_complete(core::Now now, const Batch& batch, const ReadValues& read) {
  const auto is_read = [&](const Slice& slice) {
    const auto at = read.find(slice.filter_class);
    if (at == read.end()) return false;
    return std::ranges::all_of(slice.ids,
                               [&](std::uint32_t id) { return at->second.contains(id); });
  };
  const bool has_all = std::ranges::all_of(
      plan_.rotating, [&](const Group& group) { return std::ranges::all_of(group, is_read); });
  if (has_all) {
    rotated_since_ = batch.started - core::whole_seconds(context_.options.overlap);
  } else {
    rotate_at_ = now.instant;
  }
}

// What the relay does not give is tried again apart, so that the rest is read in turn meanwhile.
void PeerSession::rotation_stuck(core::Now now, Batch& batch) {
  batch.kind = Batch::Kind::CatchUp;
  rotation_complete(now, batch, batch.ledger.owed());
}

}  // namespace graspd::sync
