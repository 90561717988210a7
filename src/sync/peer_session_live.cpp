#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "core/check.h"
#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using DarkClasses = std::map<FilterClass, core::UnixSeconds>;

void add_darkness(DarkClasses& dark, const Group& slices, core::UnixSeconds since) {
  for (const Slice& slice : slices) {
    const auto at = dark.emplace(slice.filter_class, since).first;
    at->second = std::min(at->second, since);
  }
}

std::optional<core::UnixSeconds> darkness_of(const DarkClasses& dark, const Group& slices) {
  std::optional<core::UnixSeconds> since;
  for (const Slice& slice : slices) {
    const auto at = dark.find(slice.filter_class);
    if (at != dark.end()) since = std::min(since.value_or(at->second), at->second);
  }
  return since;
}

}  // namespace

Excluded PeerSession::parked() const {
  Excluded out;
  for (const auto& [value, until] : memory_.parked) out.insert(value);
  return out;
}

Excluded PeerSession::not_planned() const {
  Excluded out = parked();
  const auto add = [&](const Group& group) {
    for (const Slice& slice : group) {
      for (const std::uint32_t value : slice.ids) out.emplace(slice.filter_class, value);
    }
  };
  for (const Group& group : by_hand_rotating_) add(group);
  for (const auto& [id, group] : live_) {
    if (group.by_hand) add(group.slices);
  }
  return out;
}

void PeerSession::plan_live_set(core::Now now) {
  const bool was_wide = plan_.wide;
  rotate_by_hand(now);
  Budget budget = budget_;
  std::size_t by_hand = 0;
  for (const auto& [id, group] : live_) {
    if (!group.by_hand) continue;
    ++by_hand;
    budget.live_bytes -= std::min(group_bytes(context_.index, group.slices), budget.live_bytes);
  }
  budget.live_slots -= std::min(by_hand, budget.live_slots - 1);
  DarkClasses rotated;  // until now: nothing of it comes live before the next group is open
  for (const Group& group : plan_.rotating) {
    add_darkness(rotated, group, rotated_since_ + core::whole_seconds(context_.options.overlap));
  }
  plan_ = plan_live(context_.index, live_items_, budget,
                    {.grasp_server = is_grasp_server(memory_.information),
                     .wide = plan_.wide,
                     .split_classes = memory_.split_classes,
                     .values_per_filter = context_.options.values_per_filter,
                     .consolidate_at = context_.options.consolidate_at,
                     .now = now.unix_seconds},
                    not_planned());
  for (const Group& group : by_hand_rotating_) {
    plan_.rotating.push_back(group);
    plan_.rotating_filters += group.size();
  }
  if (plan_.wide && !was_wide) {
    ++memory_.meter.consolidations;
    context_.log(core::log::Level::Info, "sync: consolidating the filters of {} into {}",
                 memory_.url.text(), plan_.live_filters);
  }
  std::vector<Group> missing = plan_.live;
  DarkClasses dark;
  for (auto at = live_.begin(); at != live_.end();) {
    LiveGroup& group = at->second;
    if (group.dark_since) add_darkness(dark, group.slices, *group.dark_since);
    const auto same = std::find(missing.begin(), missing.end(), group.slices);
    if (same != missing.end()) {
      missing.erase(same);
      group.retiring = false;
    } else if (!group.by_hand) {
      group.retiring = true;
    }
    at = group.retiring && !group.sub ? live_.erase(at) : std::next(at);
  }
  for (const Group& group : plan_.rotating) {  // what they missed, rotation has to bring
    if (const auto since = darkness_of(dark, group)) rotate_from(*since);
  }
  for (const auto& [filter_class, since] : rotated) {
    const auto at = dark.emplace(filter_class, since).first;
    at->second = std::min(at->second, since);
  }
  for (Group& slices : missing) {
    const auto dark_since = darkness_of(dark, slices);
    live_.emplace(next_group_++, LiveGroup{.slices = std::move(slices), .dark_since = dark_since});
  }
  live_since_.reset();
}

bool PeerSession::live_is_waiting(core::Now now) const {
  return std::any_of(live_.begin(), live_.end(), [&](const auto& one) {
    const LiveGroup& group = one.second;
    return group.state == LiveGroup::State::Wanted && !group.retiring &&
           group.not_before <= now.instant;
  });
}

bool PeerSession::live_is_settling(core::Now now) const {
  return std::any_of(live_.begin(), live_.end(), [&](const auto& one) {
    const LiveGroup& group = one.second;
    if (group.retiring || group.unproven) return false;
    if (group.state == LiveGroup::State::Wanted) return group.not_before <= now.instant;
    return group.state == LiveGroup::State::Opening || group.dark_since;
  });
}

std::size_t PeerSession::live_open() const {
  return static_cast<std::size_t>(std::count_if(
      live_.begin(), live_.end(), [](const auto& one) { return one.second.sub.has_value(); }));
}

std::vector<nostr::Filter> PeerSession::live_filters(const Group& group) const {
  std::vector<nostr::Filter> filters;
  for (const Slice& slice : group) {
    filters.push_back(to_filter(context_.index, slice));
    // Without `since`: a live event may be dated in the past.
    filters.back().limit = memory_.lessons.limit_zero_refused ? 1 : 0;
  }
  return filters;
}

void PeerSession::open_group(core::Now now, std::uint32_t id, LiveGroup& group) {
  Wire wire;
  wire.purpose = Wire::Purpose::Live;
  wire.group = id;
  wire.filters = group.slices.size();
  group.state = LiveGroup::State::Opening;
  group.opened = now.unix_seconds;
  group.sub = Sub{context_.subs + 1};
  subscribe(now, std::move(wire), Source::Live, live_filters(group.slices));
}

std::optional<core::Instant> PeerSession::group_paused_until(const LiveGroup& group) const {
  std::optional<core::Instant> until;
  for (const Slice& slice : group.slices) {
    const auto pause = memory_.policy_until.find(request_class(slice.filter_class));
    if (pause == memory_.policy_until.end()) return std::nullopt;
    until = std::min(until.value_or(pause->second), pause->second);
  }
  return until;
}

void PeerSession::pump_live(core::Now now) {
  for (auto& [id, group] : live_) {
    if (group.retiring || group.state != LiveGroup::State::Wanted) continue;
    if (group.not_before > now.instant) continue;
    if (const auto until = group_paused_until(group)) {
      reopen(now, group, *until);
      continue;
    }
    const auto old = std::find_if(live_.begin(), live_.end(), [](const auto& one) {
      return one.second.retiring && one.second.sub;
    });
    const auto kept =
        static_cast<std::size_t>(std::count_if(live_.begin(), live_.end(), [](const auto& one) {
          return one.second.sub && !one.second.retiring;
        }));
    if (kept >= budget_.live_slots) break;  // the rest is for history
    const bool is_full = !has_slot() || live_open() >= budget_.live_slots;
    // Over a budget of one slot more while the old group still stands: R6 before thrift.
    const bool may_exceed = has_slot() && old != live_.end();
    if (is_full && !may_exceed && old == live_.end()) break;
    if (!take_token(now)) break;
    if (is_full && !may_exceed) {  // R6 is not to be had
      close_wire(*old->second.sub, wires_.at(*old->second.sub));
      wires_.erase(*old->second.sub);
      lose_retiring(now, old->first);
    }
    open_group(now, id, group);
  }
  close_retired();
}

void PeerSession::mark_gap(core::UnixSeconds since, const Group& slices) {
  DarkClasses dark;
  add_darkness(dark, slices, since);
  for (auto& [id, group] : live_) {
    if (group.retiring || group.state == LiveGroup::State::Open) continue;
    const auto dark_since = darkness_of(dark, group.slices);
    if (dark_since) group.dark_since = std::min(group.dark_since.value_or(since), *dark_since);
  }
}

// Those that take its place may not be open yet.
void PeerSession::lose_retiring(core::Now now, std::uint32_t id) {
  const LiveGroup group = std::move(live_.at(id));
  live_.erase(id);
  mark_gap(dark_from(now, group), group.slices);
}

void PeerSession::catch_up_live(core::Now now) {
  if (busy_batches() >= kBatchesMax) return;
  Group slices;
  core::UnixSeconds since = now.unix_seconds;
  for (auto& [id, group] : live_) {
    if (!group.dark_since || group.retiring || group.state != LiveGroup::State::Open) continue;
    if (group.unproven && unproven_read_at(group) > now.unix_seconds) continue;
    const auto still = group.unproven ? std::optional(now.unix_seconds) : std::nullopt;
    group.read_at = now.unix_seconds;
    since = std::min(since, *std::exchange(group.dark_since, still));
    slices.insert(slices.end(), group.slices.begin(), group.slices.end());
  }
  if (slices.empty()) return;
  Batch batch{.kind = Batch::Kind::CatchUp, .started = now.unix_seconds};
  const Window window{.since = since - core::whole_seconds(context_.options.overlap)};
  for (const Slice& slice : slices) batch.ledger.owe(slice, window);
  add_jobs(batch, slices, window, true, now);
  begin(now, std::move(batch));
}

// The relay has no space for the new beside the old.
void PeerSession::make_space(core::Now now) {
  Group slices;
  for (const auto& [id, group] : live_) {
    if (group.retiring) slices.insert(slices.end(), group.slices.begin(), group.slices.end());
  }
  retire();
  mark_gap(now.unix_seconds, slices);
}

// An EOSE or an event says that the relay listens.
void PeerSession::live_works(core::Now now, std::uint32_t id) {
  LiveGroup& group = live_.at(id);
  group.unproven = false;
  if (group.state == LiveGroup::State::Open) return;
  group.state = LiveGroup::State::Open;
  group.repairs = 0;
  if (group.retiring) return;  // pump_live closes it; its wire may be in use just now
  close_retired();
  const bool all_open = std::all_of(live_.begin(), live_.end(), [](const auto& one) {
    return one.second.state == LiveGroup::State::Open;
  });
  if (all_open && !live_since_) live_since_ = now.unix_seconds;
}

void PeerSession::close_retired() {
  const bool all_open = std::all_of(live_.begin(), live_.end(), [](const auto& one) {
    return one.second.retiring || one.second.state == LiveGroup::State::Open;
  });
  if (all_open) retire();
}

// One that goes before it ever answered may have brought nothing: its successors read that (R7).
void PeerSession::retire() {
  DarkClasses dark;
  for (auto at = live_.begin(); at != live_.end();) {
    if (!at->second.retiring) {
      ++at;
      continue;
    }
    const bool is_proved = at->second.state == LiveGroup::State::Open;
    if (!is_proved) add_darkness(dark, at->second.slices, at->second.opened);
    const auto wire = wires_.find(*at->second.sub);
    close_wire(wire->first, wire->second);
    wires_.erase(wire);
    at = live_.erase(at);
  }
  for (auto& [id, group] : live_) {
    const auto since = darkness_of(dark, group.slices);
    if (since) group.dark_since = std::min(group.dark_since.value_or(*since), *since);
  }
  for (const Group& group : plan_.rotating) {
    if (const auto since = darkness_of(dark, group)) rotate_from(*since);
  }
}

void PeerSession::reopen(core::Now now, LiveGroup& group, core::Instant not_before) {
  if (!group.dark_since) group.dark_since = dark_from(now, group);  // R7
  group.state = LiveGroup::State::Wanted;
  group.unproven = false;
  group.sub.reset();
  group.not_before = not_before;
}

void PeerSession::split_group(core::Now now, std::uint32_t id) {
  LiveGroup& refused = live_.at(id);
  const LiveGroup group = refused;
  std::size_t long_ones = 0, values = 0;
  for (const Slice& slice : group.slices) {
    for (const std::uint32_t value : slice.ids) {
      ++values;
      if (value_bytes(context_.index, slice.filter_class, value) <= kLongValue) continue;
      park(now, slice.filter_class, value);
      ++long_ones;
    }
  }
  refused.by_hand = false;  // what is planned in its place learns since when it is dark
  if (long_ones > 0) return plan_live_set(now);
  if (group.slices.size() == 1 && values <= 1) {
    const Slice& slice = group.slices.front();
    if (values == 1) park(now, slice.filter_class, slice.ids[0]);
    if (values == 0) policy(now, RequestClass::Announcements, "refuses announcements");
    return plan_live_set(now);
  }
  live_.erase(id);
  LiveGroup half{.slices = {}, .dark_since = group.dark_since, .by_hand = true};
  std::array<Group, 2> halves;
  if (group.slices.size() > 1) {
    const auto middle = group.slices.begin() + static_cast<std::ptrdiff_t>(group.slices.size() / 2);
    halves = {Group(group.slices.begin(), middle), Group(middle, group.slices.end())};
  } else {
    const auto& ids = group.slices[0].ids;
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
    const FilterClass filter_class = group.slices[0].filter_class;
    halves = {Group{{filter_class, {ids.begin(), middle}}},
              Group{{filter_class, {middle, ids.end()}}}};
  }
  for (Group& slices : halves) {
    half.slices = std::move(slices);
    live_.emplace(next_group_++, half);
  }
  plan_live_set(now);  // the others must leave space for them
}

// Whoever never says EOSE may listen all the same, or may not: it is asked again and again, and
// catch_up_live reads what it should have brought.
void PeerSession::doubt_believed(core::Now now) {
  for (auto& [id, group] : live_) {
    if (!group.unproven || group.retiring) continue;
    if (now.instant - group.believed_at < kBelievedFor) continue;
    const auto wire = wires_.find(*group.sub);
    close_wire(wire->first, wire->second);
    wires_.erase(wire);
    reopen(now, group, now.instant);
  }
}

}  // namespace graspd::sync
