#include "store/testing/memory_snapshot.h"

#include <algorithm>

namespace graspd::store {
namespace {

using Kept = MemoryStore::Kept;

Position position(const Kept& kept) { return {kept.event().created_at, kept.event().id}; }

Found found(const Kept& kept) {
  return {kept.serial, position(kept), kept.event().pubkey, kept.wire->json};
}

bool all_reached_their_limit(const Cursor& cursor) {
  return std::ranges::none_of(cursor.quotas, &Quota::is_open);
}

// Counts the event against every filter it matches; true if one of them still wants it (Q4).
// `looked_at` are the filters that were below their limit when this read began (Q5).
bool take(Cursor& cursor, const std::vector<bool>& looked_at, const nostr::Event& event) {
  bool wanted = false, matched = false;
  for (std::size_t i = 0; i < cursor.filters.size(); ++i) {
    if (!looked_at[i] || !cursor.filters[i].matches(event)) continue;
    matched = true;
    if (!cursor.quotas[i].is_open()) continue;
    cursor.quotas[i].take(event.created_at);
    wanted = true;
  }
  cursor.more = cursor.more || (matched && !wanted);
  return wanted;
}

bool some_limit_was_reached(const Cursor& cursor, const std::vector<bool>& looked_at) {
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    if (looked_at[i] && !cursor.quotas[i].is_open()) return true;
  }
  return false;
}

}  // namespace

MemorySnapshot::MemorySnapshot(std::shared_ptr<const MemoryStore::State> state)
    : state_(std::move(state)) {
  for (const Kept& kept : state_->kept) in_order_.push_back(&kept);
  std::sort(in_order_.begin(), in_order_.end(),
            [](const Kept* a, const Kept* b) { return comes_before(position(*a), position(*b)); });
}

bool MemorySnapshot::contains(const nostr::EventId& id) const { return find_json(id).has_value(); }

std::optional<std::string> MemorySnapshot::find_json(const nostr::EventId& id) const {
  for (const Kept& kept : state_->kept) {
    if (kept.event().id == id) return kept.wire->json;
  }
  return std::nullopt;
}

core::Result<ReadState, StoreError> MemorySnapshot::read(Cursor& cursor, const Budget& budget,
                                                         core::UnixSeconds now,
                                                         const Visitor& visit) const {
  std::vector<bool> looked_at;
  looked_at.reserve(cursor.quotas.size());
  for (const Quota& quota : cursor.quotas) looked_at.push_back(quota.is_open());
  std::size_t entries = 0, bytes = 0;

  for (const Kept* kept : in_order_) {
    if (cursor.after && !comes_before(*cursor.after, position(*kept))) continue;
    if (all_reached_their_limit(cursor) && cursor.more) return ReadState::Finished;
    if (entries > 0 && (entries >= budget.entries || bytes >= budget.bytes)) {
      if (some_limit_was_reached(cursor, looked_at)) cursor.unsure = true;
      return all_reached_their_limit(cursor) ? ReadState::Finished : ReadState::Unfinished;
    }
    ++entries;
    cursor.after = position(*kept);
    for (Quota& quota : cursor.quotas) quota.come_to(kept->event().created_at);
    if (kept->serial > cursor.up_to || nostr::is_expired(kept->event(), now)) continue;
    if (!take(cursor, looked_at, kept->event())) continue;
    bytes += kept->wire->json.size();
    visit(found(*kept));
  }
  return ReadState::Finished;
}

ReadState MemorySnapshot::survey(Survey& survey, const Budget& budget, core::UnixSeconds now,
                                 const std::function<void(const Kept&)>& visit) const {
  std::size_t entries = 0;
  for (const Kept* kept : in_order_) {
    if (survey.after && !comes_before(*survey.after, position(*kept))) continue;
    if (entries > 0 && entries >= budget.entries) return ReadState::Unfinished;
    ++entries;
    const nostr::Event& event = kept->event();
    const auto matches = [&](const nostr::Filter& filter) { return filter.matches(event); };
    if (!nostr::is_expired(event, now) && std::ranges::any_of(survey.filters, matches)) {
      survey.cut = survey.seen == survey.max;
      if (survey.cut) break;
      ++survey.seen;
      visit(*kept);
    }
    survey.after = position(*kept);
  }
  return ReadState::Finished;
}

core::Result<ReadState, StoreError> MemorySnapshot::count(Survey& survey, const Budget& budget,
                                                          core::UnixSeconds now,
                                                          const AuthorVisitor& pubkeys) const {
  return this->survey(survey, budget, now, [&](const Kept& kept) {
    if (pubkeys) pubkeys(kept.event().pubkey);
  });
}

core::Result<ReadState, StoreError> MemorySnapshot::scan(Survey& survey, const Budget& budget,
                                                         core::UnixSeconds now,
                                                         const PositionVisitor& visit) const {
  return this->survey(survey, budget, now, [&](const Kept& kept) {
    const Position at = position(kept);
    visit({&at, 1});
  });
}

core::Result<core::Done, StoreError> MemorySnapshot::replay(Serial after, std::size_t max,
                                                            const Visitor& visit) const {
  for (const Kept& kept : state_->kept) {
    if (kept.serial <= after) continue;
    if (max-- == 0) break;
    visit(found(kept));
  }
  return core::Done{};
}

core::Result<Outcome, StoreError> MemorySnapshot::judge(const nostr::WireEvent& event,
                                                        core::UnixSeconds now) const {
  return MemoryStore::judge(*state_, event.event, now);
}

core::Result<core::Done, StoreError> MemorySnapshot::notes(std::string_view prefix,
                                                           const NoteVisitor& visit) const {
  for (const auto& [key, value] : state_->notes)
    if (key.starts_with(prefix)) visit(key, value);
  return core::Done{};
}

std::uint64_t MemorySnapshot::size() const { return state_->kept.size(); }

}  // namespace graspd::store
