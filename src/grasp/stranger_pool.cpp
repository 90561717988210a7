#include "grasp/stranger_pool.h"

#include <fmt/format.h>

#include "grasp/note_text.h"

namespace graspd::grasp {
namespace {

// Of an event in the tables that every event is in, and of one value in those of tags and
// deletions.
constexpr std::size_t kBytesPerEvent = 1'024, kBytesPerValue = 160;

bool exceeds(std::size_t value, std::size_t max) { return max > 0 && value > max; }

}  // namespace

std::size_t StrangerPool::cost(const nostr::WireEvent& wire) {
  std::size_t values = 0;
  for (const nostr::Tag tag : wire.event.tags) values += tag.letter() != 0 && tag.size() > 1;
  return kBytesPerEvent + wire.json.size() + kBytesPerValue * values;
}

std::string StrangerPool::key(Number number) const {
  return fmt::format("{}{:020}", prefix_, number);
}

void StrangerPool::insert(Number number, const Entry& entry) {
  entries_.insert_or_assign(number, entry);
  by_id_.insert_or_assign(entry.id, number);
  Share& share = shares_[entry.author];
  share.entries.insert_or_assign(number, entry.bytes);
  share.bytes += entry.bytes;
  bytes_ += entry.bytes;
  next_ = std::max(next_, number + 1);
}

StrangerPool::Entry StrangerPool::drop(Number number, Transition& changes) {
  const Entry entry = entries_.at(number);
  entries_.erase(number);
  by_id_.erase(entry.id);
  bytes_ -= entry.bytes;
  Share& share = shares_[entry.author];
  share.entries.erase(number);
  share.bytes -= entry.bytes;
  if (share.entries.empty()) shares_.erase(entry.author);
  changes.put_note({key(number), std::nullopt});
  return entry;
}

bool StrangerPool::has_too_much(const Share& share) const {
  return share.entries.size() > 1 && (exceeds(share.entries.size(), limits_.entries_per_key) ||
                                      exceeds(share.bytes, limits_.bytes_per_key));
}

std::vector<StrangerPool::Entry> StrangerPool::add(const nostr::WireEvent& wire,
                                                   Transition& changes) {
  const nostr::Event& event = wire.event;
  erase(event.id, changes);
  const Number number = next_;
  insert(number, {event.id, event.pubkey, cost(wire)});
  changes.put_note({key(number), text(entries_.at(number))});
  std::vector<Entry> gone;
  while (has_too_much(shares_.at(event.pubkey)))
    gone.push_back(drop(shares_.at(event.pubkey).entries.begin()->first, changes));
  while (entries_.size() > 1 && exceeds(bytes_, limits_.bytes_max))
    gone.push_back(drop(entries_.begin()->first, changes));
  return gone;
}

void StrangerPool::erase(const nostr::EventId& id, Transition& changes) {
  if (const Number* number = by_id_.find(id)) drop(Number(*number), changes);
}

std::vector<nostr::EventId> StrangerPool::of(const nostr::PublicKey& author) const {
  std::vector<nostr::EventId> ids;
  const Share* share = shares_.find(author);
  if (!share) return ids;
  for (const auto& [number, bytes] : share->entries) ids.push_back(entries_.at(number).id);
  return ids;
}

std::string StrangerPool::text(const Entry& entry) {
  return fmt::format("{} {} {}", entry.id.hex(), entry.author.hex(), entry.bytes);
}

void StrangerPool::forget_note(std::string_view key) {
  Transition known;
  const auto number = note::number<Number>(key.substr(prefix_.size()));
  if (number && entries_.contains(*number)) drop(*number, known);
}

std::vector<store::Note> StrangerPool::notes() const {
  std::vector<store::Note> all;
  for (const auto& [number, entry] : entries_) all.push_back({key(number), text(entry)});
  return all;
}

bool StrangerPool::restore(std::string_view key, std::string_view value) {
  const auto number = note::number<Number>(key.substr(prefix_.size()));
  const auto id = nostr::EventId::from_hex(note::take(value, ' '));
  const auto author = nostr::PublicKey::from_hex(note::take(value, ' '));
  const auto bytes = note::number<std::size_t>(value);
  if (!number || !id || !author || !bytes || by_id_.contains(*id)) return false;
  insert(*number, {*id, *author, *bytes});
  return true;
}

}  // namespace graspd::grasp
