#include "sync/live_subscriptions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.h"

namespace graspd::sync {

LiveSubscriptions::LiveSubscriptions(PeerContext& peer, Wires& wires, Refusals& refusals,
                                     const ReadingPauses& reading, GapReader& history,
                                     core::Now now)
    : peer_(peer),
      context_(peer.engine),
      memory_(peer.memory),
      refusals_(refusals),
      reading_(reading),
      history_(history),
      rotation_(peer.engine.options, history, now),
      groups_(peer, wires, reading, rotation_) {}

void LiveSubscriptions::follow(core::Now now, const Items& items) {
  items_ = items;
  has_plan_ = true;
  make_plan(now);
}

bool LiveSubscriptions::grow(const Items& items) {
  const bool is_new = !(items - items_).empty();
  items_ |= items;
  return is_new;
}

bool LiveSubscriptions::shrink_to(const Items& target) {
  const bool many = 4 * (items_ - target).size() > items_.size();
  if (many) items_ = target;
  return many;
}

void LiveSubscriptions::replan(core::Now now) {
  if (has_plan_) make_plan(now);
}

Excluded LiveSubscriptions::not_planned() const {
  Excluded out = memory_.parked_values();
  const auto add = [&](const Group& group) {
    for (const Slice& slice : group) {
      for (const std::uint32_t value : slice.ids) out.emplace(slice.filter_class, value);
    }
  };
  for (const Group& group : by_hand_rotating_) add(group);
  for (const auto& [id, group] : groups_.all()) {
    if (group.by_hand) add(group.slices);
  }
  return out;
}

Budget LiveSubscriptions::planned_budget() const {
  Budget budget = peer_.budget;
  std::size_t by_hand = 0;
  for (const auto& [id, group] : groups_.all()) {
    if (!group.by_hand) continue;
    ++by_hand;
    budget.live_bytes -= std::min(group_bytes(context_.index, group.slices), budget.live_bytes);
  }
  budget.live_slots -= std::min(by_hand, budget.live_slots - 1);
  return budget;
}

void LiveSubscriptions::make_plan(core::Now now) {
  const bool was_wide = plan_.wide;
  rotate_by_hand(now);
  const DarkClasses rotated = rotation_.dark();  // until the next group is open
  plan_ = plan_live(context_.index, items_, planned_budget(),
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
  rotation_.set(plan_.rotating);
  if (plan_.wide && !was_wide) {
    ++memory_.meter.consolidations;
    context_.log(core::log::Level::Info, "sync: consolidating the filters of {} into {}",
                 memory_.url.text(), plan_.live_filters);
  }
  std::vector<Group> missing = plan_.live;
  DarkClasses dark = groups_.keep(missing);
  rotation_.missed(dark);
  dark.add(rotated);  // R2
  for (Group& slices : missing) {
    const auto dark_since = dark.since(slices);
    groups_.add(std::move(slices), dark_since, false);
  }
  groups_.interrupted();
}

// They may take half of what the relay keeps for us: the other half is for what is planned.
void LiveSubscriptions::rotate_by_hand(core::Now now) {
  std::size_t by_hand = 0, bytes = 0;
  std::vector<std::uint32_t> beyond;
  for (const auto& [id, group] : groups_.all()) {
    if (!group.by_hand) continue;
    ++by_hand;
    bytes += group_bytes(context_.index, group.slices);
    const bool fits = by_hand < peer_.budget.live_slots && bytes <= peer_.budget.live_bytes / 2;
    if (!fits) beyond.push_back(id);
  }
  for (const std::uint32_t id : beyond) {
    LiveGroup group = groups_.remove(id);
    rotation_.move_back(group.dark_since.value_or(groups_.dark_from(now, group)));
    by_hand_rotating_.push_back(std::move(group.slices));
  }
}

void LiveSubscriptions::split(core::Now now, std::uint32_t id) {
  const Group slices = groups_.at(id).slices;
  std::size_t long_ones = 0, values = 0;
  for (const Slice& slice : slices) {
    for (const std::uint32_t value : slice.ids) {
      ++values;
      if (value_bytes(context_.index, slice.filter_class, value) <= kLongValue) continue;
      history_.park(now, slice.filter_class, value);
      ++long_ones;
    }
  }
  groups_.join_plan(id);  // what is planned in its place learns since when it is dark
  if (long_ones == 0 && slices.size() == 1 && values <= 1) {
    const Slice& slice = slices.front();
    if (values == 1) history_.park(now, slice.filter_class, slice.ids[0]);
    if (values == 0) refusals_.unwelcome(now, RequestClass::Announcements, "refuses announcements");
  } else if (long_ones == 0) {
    halve(id);
  }
  replan(now);  // the others must leave space for them
}

void LiveSubscriptions::halve(std::uint32_t id) {
  const LiveGroup group = groups_.remove(id);
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
  for (Group& slices : halves) groups_.add(std::move(slices), group.dark_since, true);
}

bool LiveSubscriptions::split_classes(core::Now now, std::uint32_t id) {
  if (groups_.at(id).slices.size() <= 1 || memory_.split_classes) return false;
  memory_.split_classes = true;
  groups_.reopen(now, id, now.instant);
  replan(now);
  return true;
}

RequestClass LiveSubscriptions::class_of(std::uint32_t id) const {
  return request_class(groups_.at(id).slices.front().filter_class);
}

std::optional<core::UnixSeconds> LiveSubscriptions::dark_since(core::Now now) const {
  std::optional<core::UnixSeconds> since;
  const auto add = [&](std::optional<core::UnixSeconds> at) {
    if (at) since = std::min(since.value_or(*at), *at);
  };
  if (reading_.is_held_back(now)) add(reading_.heard_until(now));
  add(groups_.dark_since());
  add(rotation_.read_until());
  return since;
}

void LiveSubscriptions::add_due(Soonest& due) const {
  groups_.add_due(due);
  rotation_.add_due(due);
}

void LiveSubscriptions::check_books() const {
  ReadValues live;
  const auto add = [&](const Group& group) {
    for (const Slice& slice : group) live[slice.filter_class].add(slice.ids);
  };
  for (const auto& [id, group] : groups_.all()) {
    if (!group.retiring) add(group.slices);
  }
  for (const Group& group : plan_.rotating) add(group);
  for (const auto& [filter_class, id] : memory_.parked_values()) live[filter_class].add(id);
  const Items target = items_ & context_.targets.of(memory_.id);
  CHECK(unread_of(target, is_grasp_server(memory_.information), live).empty());
}

}  // namespace graspd::sync
