#include "sync/rotation.h"

#include <algorithm>

namespace graspd::sync {

Rotation::Rotation(const Options& options, GapReader& reader, core::Now now)
    : reader_(reader),
      overlap_(core::whole_seconds(options.overlap)),
      turn_min_(options.rotation_min),
      since_(now.unix_seconds - overlap_),
      next_turn_(now.instant) {}

void Rotation::move_back(core::UnixSeconds heard_until) {
  const core::UnixSeconds since = heard_until - overlap_;
  if (since >= since_) return;
  since_ = since;
  reader_.drop_turn();  // it begins too late
}

void Rotation::missed(const DarkClasses& dark) {
  for (const Group& group : groups_) {
    if (const auto since = dark.since(group)) move_back(*since);
  }
}

DarkClasses Rotation::dark() const {
  DarkClasses out;
  for (const Group& group : groups_) out.add(group, since_ + overlap_);
  return out;
}

std::optional<core::UnixSeconds> Rotation::read_until() const {
  if (groups_.empty()) return std::nullopt;
  return since_ + overlap_;
}

bool Rotation::is_late(core::Now now) const {
  const auto read = read_until();
  return read && now.unix_seconds - *read > core::whole_seconds(kLate);
}

std::optional<RotationTurn> Rotation::take_turn(core::Now now) {
  if (groups_.empty() || now.instant < next_turn_ || reader_.is_rotating()) return std::nullopt;
  next_turn_ = now.instant + turn_min_;
  return RotationTurn{groups_, {.since = since_}};
}

void Rotation::turn_ended(core::Now now, core::UnixSeconds started, const ReadValues& read) {
  const auto is_read = [&](const Slice& slice) {
    const auto at = read.find(slice.filter_class);
    if (at == read.end()) return false;
    return std::ranges::all_of(slice.ids,
                               [&](std::uint32_t id) { return at->second.contains(id); });
  };
  const bool has_all = std::ranges::all_of(
      groups_, [&](const Group& group) { return std::ranges::all_of(group, is_read); });
  if (has_all) {
    since_ = started - overlap_;
  } else {
    next_turn_ = now.instant;  // R2
  }
}

void Rotation::add_due(Soonest& due) const {
  if (!groups_.empty()) due.add(next_turn_);
}

}  // namespace graspd::sync
