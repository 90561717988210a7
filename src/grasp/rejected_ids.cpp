#include "grasp/rejected_ids.h"

#include <algorithm>

#include "grasp/rejected_note.h"

namespace graspd::grasp {
namespace {

// The nodes of an entry in the indexes with all they hold, and of each thing it lacks.
constexpr std::size_t kEntryBytes = 400, kTagBytes = 8, kLackBytes = 72;

// After a long time off much is due at once; the rest follows with the next sweep.
constexpr std::size_t kExpireMax = 8'192;

}  // namespace

std::size_t RejectedIds::cost(const Entry& entry) {
  return kEntryBytes + entry.event.tags.size() * kTagBytes + entry.lacks.size() * kLackBytes;
}

void RejectedIds::add(const nostr::Event& event, Reason reason, const nostr::RelayUrl* relay,
                      const std::vector<std::string>& lacks, core::UnixSeconds now,
                      Transition& changes) {
  const Rejected* before = find(event.id);
  if (before && before->reason == reason) return;
  erase(event.id, changes);
  Entry entry;
  entry.event = digest_of(event);
  if (entry.event.tags.size() > limits_.tags_max) return;
  entry.reason = reason;
  entry.since = now;
  for (const std::string& key : lacks) entry.lacks.push_back(hash_of(key));
  changes.put_note({note::rejected_key(next_), note::text(entry, relay)});
  insert(next_, std::move(entry), relay);
  while (entries_.size() > limits_.entries_max || bytes_ > limits_.bytes_max)
    drop(entries_.begin()->first, changes);
}

void RejectedIds::insert(Number number, Entry entry, const nostr::RelayUrl* relay) {
  if (relay) {
    Relay& known = relays_.find_or_make(
        *relay, [&] { return Relay{std::make_shared<const nostr::RelayUrl>(*relay), 0}; });
    ++known.entries;
    entry.relay = known.url;
  }
  bytes_ += cost(entry);
  ++current_[event_type(entry.event.kind)];
  by_id_.insert_or_assign(entry.event.id, number);
  for (const std::uint64_t key : entry.lacks) by_lack_.insert({key, number});
  entries_.insert_or_assign(number, std::move(entry));
  next_ = std::max(next_, number + 1);
}

void RejectedIds::drop(Number number, Transition& changes) {
  const Entry entry = *entries_.take(number);
  for (const std::uint64_t key : entry.lacks) by_lack_.erase(std::pair(key, number));
  by_id_.erase(entry.event.id);
  --current_[event_type(entry.event.kind)];
  bytes_ -= cost(entry);
  Relay* relay = entry.relay ? relays_.find_to_change(*entry.relay) : nullptr;
  if (relay && --relay->entries == 0) relays_.erase(*entry.relay);
  changes.put_note({note::rejected_key(number), std::nullopt});
}

void RejectedIds::erase(const nostr::EventId& id, Transition& changes) {
  if (const Number* number = by_id_.find(id)) drop(*number, changes);
}

void RejectedIds::clear(Transition& changes) {
  while (!entries_.empty()) drop(entries_.begin()->first, changes);
}

void RejectedIds::expire(core::UnixSeconds now, Transition& changes) {
  for (std::size_t i = 0; i < kExpireMax && !entries_.empty(); ++i) {
    if (entries_.begin()->second.since + limits_.memory > now) return;
    ++expired_[event_type(entries_.begin()->second.event.kind)];
    drop(entries_.begin()->first, changes);
  }
}

void RejectedIds::call(std::string_view key) {
  const std::uint64_t hash = hash_of(key);
  const auto first = by_lack_.lower_bound(std::pair(hash, Number{0}));
  if (first != by_lack_.end() && first->first == hash) called_.insert_or_assign(hash, next_);
}

std::vector<RejectedIds::Forgotten> RejectedIds::forget_called(std::size_t max,
                                                               Transition& changes) {
  std::vector<Forgotten> forgotten;
  while (!called_.empty() && forgotten.size() < max) {
    const auto [key, too_new] = *called_.begin();
    const auto at = by_lack_.lower_bound(std::pair(key, Number{0}));
    if (at == by_lack_.end() || at->first != key || at->second >= too_new) {
      called_.erase(key);
      continue;
    }
    const Entry& entry = entries_.at(at->second);
    forgotten.push_back({entry.event.id, entry.event.kind, std::nullopt});
    if (entry.relay) forgotten.back().relay = *entry.relay;
    drop(Number(at->second), changes);
  }
  return forgotten;
}

const Rejected* RejectedIds::find(const nostr::EventId& id) const {
  const Number* number = by_id_.find(id);
  return number ? &entries_.at(*number) : nullptr;
}

std::optional<RejectedIds::Number> RejectedIds::match(const DigestFilter& filter, Number from,
                                                      std::size_t max,
                                                      std::vector<store::Position>& found) const {
  auto at = entries_.lower_bound(from);
  for (; at != entries_.end() && max > 0; ++at, --max) {
    const EventDigest& event = at->second.event;
    if (filter.matches(event)) found.push_back({event.created_at, event.id});
  }
  return at == entries_.end() ? std::nullopt : std::optional(at->first);
}

bool RejectedIds::restore(std::string_view key, std::string_view value) {
  const auto number = note::parse_rejected_key(key);
  auto read = note::parse_rejected(value);
  if (!number || !read || by_id_.contains(read->rejected.event.id)) return false;
  Entry entry;
  static_cast<Rejected&>(entry) = std::move(read->rejected);
  insert(*number, std::move(entry), read->relay ? &*read->relay : nullptr);
  return true;
}

void RejectedIds::forget_note(std::string_view key) {
  Transition known;
  const auto number = note::parse_rejected_key(key);
  if (number && entries_.contains(*number)) drop(*number, known);
}

std::vector<store::Note> RejectedIds::notes() const {
  std::vector<store::Note> all;
  for (const auto& [number, entry] : entries_)
    all.push_back({note::rejected_key(number), note::text(entry, entry.relay.get())});
  return all;
}

}  // namespace graspd::grasp
