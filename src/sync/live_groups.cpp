#include "sync/live_groups.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

using State = LiveGroup::State;
constexpr std::uint32_t kRepairsMax = 2;  // time-outs, before a group is believed to listen
// How long a group that never answered is believed to listen.
constexpr core::Duration kBelievedFor = std::chrono::minutes(3);

core::Duration repair_wait(const Options& options, std::uint32_t repairs) {
  core::Duration wait = options.rate_pause;
  for (; repairs > 0 && wait < options.rate_pause_max; --repairs) wait *= 2;
  return std::min(wait, options.rate_pause_max);
}

}  // namespace

LiveGroups::LiveGroups(PeerContext& peer, Wires& wires, const ReadingPauses& reading,
                       Rotation& rotation)
    : context_(peer.engine),
      memory_(peer.memory),
      budget_(peer.budget),
      wires_(wires),
      reading_(reading),
      rotation_(rotation) {}

DarkClasses LiveGroups::keep(std::vector<Group>& planned) {
  DarkClasses dark;
  for (auto at = groups_.begin(); at != groups_.end();) {
    LiveGroup& group = at->second;
    if (group.dark_since) dark.add(group.slices, *group.dark_since);
    const auto same = std::find(planned.begin(), planned.end(), group.slices);
    if (same != planned.end()) {
      planned.erase(same);
      group.retiring = false;
    } else if (!group.by_hand) {
      group.retiring = true;
    }
    at = group.retiring && !group.sub ? groups_.erase(at) : std::next(at);
  }
  return dark;
}

void LiveGroups::add(Group slices, std::optional<core::UnixSeconds> dark_since, bool by_hand) {
  groups_.emplace(
      next_++,
      LiveGroup{.slices = std::move(slices), .dark_since = dark_since, .by_hand = by_hand});
}

LiveGroup LiveGroups::remove(std::uint32_t id) {
  LiveGroup group = std::move(groups_.at(id));
  groups_.erase(id);
  if (group.sub) wires_.drop(*group.sub);
  return group;
}

void LiveGroups::open(core::Now now, std::uint32_t id, LiveGroup& group) {
  group.state = State::Opening;
  group.opened = now.unix_seconds;
  Wire wire;
  wire.purpose = Wire::Purpose::Live;
  wire.group = id;
  group.sub = wires_.open(now, std::move(wire), Source::Live, filters_of(group.slices));
}

std::vector<nostr::Filter> LiveGroups::filters_of(const Group& group) const {
  std::vector<nostr::Filter> filters;
  for (const Slice& slice : group) {
    filters.push_back(to_filter(context_.index, slice));
    // Without `since`: a live event may be dated in the past.
    filters.back().limit = memory_.lessons.limit_zero_refused ? 1 : 0;
  }
  return filters;
}

std::optional<core::Instant> LiveGroups::paused_until(const LiveGroup& group) const {
  std::optional<core::Instant> until;
  for (const Slice& slice : group.slices) {
    const auto pause = memory_.policy_until.find(request_class(slice.filter_class));
    if (pause == memory_.policy_until.end()) return std::nullopt;
    until = std::min(until.value_or(pause->second), pause->second);
  }
  return until;
}

void LiveGroups::pump(core::Now now) {
  for (auto& [id, group] : groups_) {
    if (group.retiring || group.state != State::Wanted) continue;
    if (group.not_before > now.instant) continue;
    if (const auto until = paused_until(group)) {
      reopen(now, group, *until);
      continue;
    }
    const auto old = std::find_if(groups_.begin(), groups_.end(), [](const auto& one) {
      return one.second.retiring && one.second.sub;
    });
    const auto kept =
        static_cast<std::size_t>(std::count_if(groups_.begin(), groups_.end(), [](const auto& one) {
          return one.second.sub && !one.second.retiring;
        }));
    if (kept >= budget_.live_slots) break;  // the rest is for history
    const bool is_full = !wires_.has_slot() || open_count() >= budget_.live_slots;
    // Over a budget of one slot more while the old group still stands: R1 before thrift.
    const bool may_exceed = wires_.has_slot() && old != groups_.end();
    if (is_full && !may_exceed && old == groups_.end()) break;
    if (!wires_.take_token(now)) break;
    if (is_full && !may_exceed) {  // R1 is not to be had
      wires_.drop(*old->second.sub);
      lose_retiring(now, old->first);
    }
    open(now, id, group);
  }
  close_retired();
}

void LiveGroups::mark_gap(core::UnixSeconds since, const Group& slices) {
  DarkClasses dark;
  dark.add(slices, since);
  for (auto& [id, group] : groups_) {
    if (group.retiring || group.state == State::Open) continue;
    const auto dark_since = dark.since(group.slices);
    if (dark_since) group.dark_since = std::min(group.dark_since.value_or(since), *dark_since);
  }
}

// Those that take its place may not be open yet.
void LiveGroups::lose_retiring(core::Now now, std::uint32_t id) {
  const LiveGroup group = std::move(groups_.at(id));
  groups_.erase(id);
  mark_gap(dark_from(now, group), group.slices);
}

std::optional<GapRead> LiveGroups::take_gap(core::Now now) {
  GapRead gap;
  core::UnixSeconds since = now.unix_seconds;
  for (auto& [id, group] : groups_) {
    if (!group.dark_since || group.retiring || group.state != State::Open) continue;
    if (group.unproven && read_again_at(group) > now.unix_seconds) continue;
    const auto still = group.unproven ? std::optional(now.unix_seconds) : std::nullopt;
    group.read_at = now.unix_seconds;
    since = std::min(since, *std::exchange(group.dark_since, still));
    gap.slices.insert(gap.slices.end(), group.slices.begin(), group.slices.end());
  }
  if (gap.slices.empty()) return std::nullopt;
  gap.window.since = since - core::whole_seconds(context_.options.overlap);
  return gap;
}

void LiveGroups::make_space(core::Now now) {
  Group slices;
  for (const auto& [id, group] : groups_) {
    if (group.retiring) slices.insert(slices.end(), group.slices.begin(), group.slices.end());
  }
  retire();
  mark_gap(now.unix_seconds, slices);
}

void LiveGroups::works(core::Now now, std::uint32_t id) {
  LiveGroup& group = groups_.at(id);
  group.unproven = false;
  if (group.state == State::Open) return;
  group.state = State::Open;
  group.repairs = 0;
  wires_.find(*group.sub)->listens = true;
  if (group.retiring) return;  // pump closes it; its wire may be in use just now
  close_retired();
  const bool all_open = std::all_of(groups_.begin(), groups_.end(), [](const auto& one) {
    return one.second.state == State::Open;
  });
  if (all_open && !since_) since_ = now.unix_seconds;
}

void LiveGroups::close_retired() {
  const bool all_open = std::all_of(groups_.begin(), groups_.end(), [](const auto& one) {
    return one.second.retiring || one.second.state == State::Open;
  });
  if (all_open) retire();
}

// One that goes before it ever answered may have brought nothing: its successors read that (R2).
void LiveGroups::retire() {
  DarkClasses dark;
  for (auto at = groups_.begin(); at != groups_.end();) {
    if (!at->second.retiring) {
      ++at;
      continue;
    }
    const bool is_proved = at->second.state == State::Open;
    if (!is_proved) dark.add(at->second.slices, at->second.opened);
    wires_.drop(*at->second.sub);
    at = groups_.erase(at);
  }
  for (auto& [id, group] : groups_) {
    const auto since = dark.since(group.slices);
    if (since) group.dark_since = std::min(group.dark_since.value_or(*since), *since);
  }
  rotation_.missed(dark);
}

void LiveGroups::reopen(core::Now now, std::uint32_t id, core::Instant not_before) {
  reopen(now, groups_.at(id), not_before);
}

void LiveGroups::reopen(core::Now now, LiveGroup& group, core::Instant not_before) {
  if (!group.dark_since) group.dark_since = dark_from(now, group);  // R2
  group.state = State::Wanted;
  group.unproven = false;
  group.sub.reset();
  group.not_before = not_before;
}

void LiveGroups::reopen_later(core::Now now, std::uint32_t id) {
  LiveGroup& group = groups_.at(id);
  reopen(now, group, now.instant + repair_wait(context_.options, group.repairs++));
}

void LiveGroups::timed_out(core::Now now, Sub sub) {
  const std::uint32_t id = wires_.find(sub)->group;
  LiveGroup& group = groups_.at(id);
  if (!group.retiring && ++group.repairs > kRepairsMax) {  // R3: it may listen all the same
    const std::uint32_t repairs = group.repairs;
    if (!group.dark_since) group.dark_since = dark_from(now, group);
    works(now, id);
    group.repairs = repairs;
    group.unproven = true;
    group.believed_at = now.instant;
    return;
  }
  wires_.drop(sub);
  group.retiring ? lose_retiring(now, id) : reopen(now, group, now.instant);
}

void LiveGroups::ask_believed_again(core::Now now) {
  for (auto& [id, group] : groups_) {
    if (!group.unproven || group.retiring) continue;
    if (now.instant - group.believed_at < kBelievedFor) continue;
    wires_.drop(*group.sub);
    reopen(now, group, now.instant);
  }
}

void LiveGroups::retry_now(core::Now now) {
  for (auto& [id, group] : groups_) group.not_before = std::min(group.not_before, now.instant);
}

// Such a group brings nothing, as far as we know: it is read like what rotates.
core::UnixSeconds LiveGroups::read_again_at(const LiveGroup& group) const {
  if (group.read_at == 0) return 0;
  return group.read_at + core::whole_seconds(context_.options.rotation_min);
}

void LiveGroups::add_due(Soonest& due) const {
  const core::Now now = due.now();
  for (const auto& [id, group] : groups_) {
    due.add(group.not_before);
    if (!group.unproven) continue;
    due.add(group.believed_at + kBelievedFor);
    due.add(now.instant + std::chrono::seconds(read_again_at(group) - now.unix_seconds));
  }
}

bool LiveGroups::is_waiting(core::Now now) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& one) {
    const LiveGroup& group = one.second;
    return group.state == State::Wanted && !group.retiring && group.not_before <= now.instant;
  });
}

bool LiveGroups::is_settling(core::Now now) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& one) {
    const LiveGroup& group = one.second;
    if (group.retiring || group.unproven) return false;
    if (group.state == State::Wanted) return group.not_before <= now.instant;
    return group.state == State::Opening || group.dark_since;
  });
}

bool LiveGroups::is_missing() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const auto& one) {
    return !one.second.retiring && one.second.state == State::Wanted;
  });
}

std::size_t LiveGroups::open_count() const {
  return static_cast<std::size_t>(std::count_if(
      groups_.begin(), groups_.end(), [](const auto& one) { return one.second.sub.has_value(); }));
}

std::size_t LiveGroups::repairs(core::Now now) const {
  return static_cast<std::size_t>(
      std::count_if(groups_.begin(), groups_.end(), [&](const auto& one) {
        return one.second.state == State::Wanted && one.second.not_before > now.instant;
      }));
}

std::optional<core::UnixSeconds> LiveGroups::dark_since() const {
  std::optional<core::UnixSeconds> since;
  const auto add = [&](core::UnixSeconds at) { since = std::min(since.value_or(at), at); };
  for (const auto& [id, group] : groups_) {
    if (group.dark_since) add(*group.dark_since);
    if (group.state == State::Opening) add(group.opened);
  }
  return since;
}

core::UnixSeconds LiveGroups::dark_from(core::Now now, const LiveGroup& group) const {
  const core::UnixSeconds since = reading_.heard_until(now);
  return group.state == State::Opening ? std::min(since, group.opened) : since;
}

void LiveGroups::check_invariants() const {
  for (const auto& [id, group] : groups_) {
    CHECK((group.state == State::Wanted) == !group.sub);
    const Wire* wire = group.sub ? wires_.find(*group.sub) : nullptr;
    if (group.sub) CHECK(wire != nullptr && !wire->closed);
    CHECK(group.sub || !group.retiring);
  }
}

}  // namespace graspd::sync
