#include "grasp/orphan_pool.h"

#include <algorithm>

#include "grasp/rejected_note.h"
#include "grasp/related.h"

namespace graspd::grasp {
namespace {

// What a key costs besides its text: a node in the index.
constexpr std::size_t kKeyBytes = 128;

std::size_t cost(const Orphan& orphan) {
  std::size_t bytes = orphan.event->json.size();
  for (const std::string& key : orphan.keys) bytes += key.size() + kKeyBytes;
  return bytes;
}

}  // namespace

void OrphanPool::admit(Orphan orphan, Transition& changes) {
  if (const auto at = by_id_.find(orphan.event->event.id); at != by_id_.end()) {
    called_.erase(at->second);
    seats_.at(at->second).turn = Turn::Waiting;
    return;
  }
  if (orphan.keys.empty() || orphan.event->json.size() > limits_.event_bytes_max) return;
  const nostr::PublicKey author = orphan.event->event.pubkey;
  changes.put_note({note::waiting_key(next_), note::text(orphan)});
  seat(next_, std::move(orphan));
  make_space(author, changes);
}

void OrphanPool::seat(Number number, Orphan orphan) {
  if (orphan.keys.size() > limits_.keys_per_event_max)
    orphan.keys.resize(limits_.keys_per_event_max);
  const nostr::Event& event = orphan.event->event;
  const std::size_t bytes = cost(orphan);
  bytes_ += bytes;
  ++current_[event_type(event.kind)];
  Author& author = by_author_[event.pubkey];
  author.bytes += bytes;
  author.seats.insert(number);
  by_id_.emplace(event.id, number);
  for (const std::string& key : orphan.keys) by_key_[key].insert(number);
  seats_.emplace(number, Seat{std::move(orphan), bytes, Turn::Waiting});
  next_ = std::max(next_, number + 1);
}

void OrphanPool::vacate(Number number, Transition& changes) {
  const auto at = seats_.find(number);
  const auto& [orphan, bytes, turn] = at->second;
  const nostr::Event& event = orphan.event->event;
  for (const std::string& key : orphan.keys) {
    const auto waiting = by_key_.find(key);
    if (waiting == by_key_.end()) continue;
    waiting->second.erase(number);
    if (waiting->second.empty()) by_key_.erase(waiting);
  }
  const auto author = by_author_.find(event.pubkey);
  author->second.bytes -= bytes;
  author->second.seats.erase(number);
  if (author->second.seats.empty()) by_author_.erase(author);
  bytes_ -= bytes;
  --current_[event_type(event.kind)];
  called_.erase(number);
  by_id_.erase(event.id);
  seats_.erase(at);
  changes.put_note({note::waiting_key(number), std::nullopt});
}

bool OrphanPool::is_over_share(const Author& author) const {
  return author.seats.size() > limits_.events_max / limits_.authors_min ||
         author.bytes > limits_.bytes_max / limits_.authors_min;
}

void OrphanPool::make_space(const nostr::PublicKey& author, Transition& changes) {
  for (auto at = by_author_.find(author); at != by_author_.end(); at = by_author_.find(author)) {
    if (!is_over_share(at->second)) break;
    vacate(*at->second.seats.begin(), changes);
  }
  while (seats_.size() > limits_.events_max || bytes_ > limits_.bytes_max)
    vacate(seats_.begin()->first, changes);
}

void OrphanPool::leave(const nostr::EventId& id, Transition& changes) {
  const auto at = by_id_.find(id);
  if (at != by_id_.end()) vacate(at->second, changes);
}

void OrphanPool::expire(core::UnixSeconds now, Transition& changes) {
  while (!seats_.empty() && seats_.begin()->second.orphan.since + limits_.patience <= now) {
    ++expired_[event_type(seats_.begin()->second.orphan.event->event.kind)];
    vacate(seats_.begin()->first, changes);
  }
}

// Who is on the way to a decision will meet what has arrived.
void OrphanPool::call(const std::string& key) {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return;
  for (const Number number : at->second) {
    Seat& seat = seats_.at(number);
    if (seat.turn != Turn::Waiting) continue;
    seat.turn = Turn::Called;
    called_.insert(number);
  }
}

void OrphanPool::call_all() {
  for (auto& [number, seat] : seats_) {
    seat.turn = Turn::Called;
    called_.insert(number);
  }
}

void OrphanPool::call_again(const nostr::EventId& id) {
  const auto at = by_id_.find(id);
  if (at == by_id_.end()) return;
  seats_.at(at->second).turn = Turn::Called;
  called_.insert(at->second);
}

std::vector<Retry> OrphanPool::take_called(std::size_t max) {
  std::vector<Retry> taken;
  while (!called_.empty() && taken.size() < max) {
    Seat& seat = seats_.at(*called_.begin());
    called_.erase(called_.begin());
    seat.turn = Turn::Out;
    taken.push_back({seat.orphan.event, seat.orphan.origin});
  }
  return taken;
}

bool OrphanPool::is_waiting(const nostr::EventId& id) const {
  const auto at = by_id_.find(id);
  return at != by_id_.end() && seats_.at(at->second).turn == Turn::Waiting;
}

std::vector<nostr::WireEventPtr> OrphanPool::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(seats_.size());
  for (const auto& [number, seat] : seats_) all.push_back(seat.orphan.event);
  return all;
}

std::vector<nostr::WireEventPtr> OrphanPool::events_of(const nostr::PublicKey& author) const {
  std::vector<nostr::WireEventPtr> theirs;
  if (const auto at = by_author_.find(author); at != by_author_.end())
    for (const Number number : at->second.seats) theirs.push_back(seats_.at(number).orphan.event);
  return theirs;
}

bool OrphanPool::restore(std::string_view key, std::string_view value, Transition& changes) {
  const auto number = note::parse_waiting_key(key);
  auto orphan = note::parse_orphan(value);
  if (!number || !orphan || contains(orphan->event->event.id)) return false;
  const nostr::PublicKey author = orphan->event->event.pubkey;
  orphan->keys = lacks_of(orphan->event->event);
  seat(*number, *std::move(orphan));
  make_space(author, changes);
  return true;
}

std::optional<nostr::EventId> OrphanPool::find(std::string_view note_key) const {
  const auto number = note::parse_waiting_key(note_key);
  const auto at = number ? seats_.find(*number) : seats_.end();
  return at == seats_.end() ? std::nullopt : std::optional(at->second.orphan.event->event.id);
}

void OrphanPool::forget_note(std::string_view key) {
  Transition known;
  const auto number = note::parse_waiting_key(key);
  if (number && seats_.contains(*number)) vacate(*number, known);
}

std::vector<store::Note> OrphanPool::notes() const {
  std::vector<store::Note> all;
  for (const auto& [number, seat] : seats_)
    all.push_back({note::waiting_key(number), note::text(seat.orphan)});
  return all;
}

}  // namespace graspd::grasp
