#include "grasp/orphan_pool.h"

#include <algorithm>

#include "grasp/rejected_note.h"
#include "grasp/related.h"

namespace graspd::grasp {
namespace {

// What a key costs besides its text: a node in the index.
constexpr std::size_t kKeyBytes = 128;

std::size_t cost(const Guest& guest) {
  std::size_t bytes = guest.event->json.size();
  for (const std::string& key : guest.keys) bytes += key.size() + kKeyBytes;
  return bytes;
}

}  // namespace

void WaitingRoom::admit(Guest guest, Notes& notes) {
  if (const auto at = by_id_.find(guest.event->event.id); at != by_id_.end()) {
    called_.erase(at->second);
    seats_.at(at->second).turn = Turn::Waiting;
    return;
  }
  if (guest.keys.empty() || guest.event->json.size() > limits_.event_bytes_max) return;
  const nostr::PublicKey author = guest.event->event.pubkey;
  notes.push_back({note::waiting_key(next_), note::text(guest)});
  seat(next_, std::move(guest));
  make_room(author, notes);
}

void WaitingRoom::seat(Number number, Guest guest) {
  if (guest.keys.size() > limits_.keys_per_event_max) guest.keys.resize(limits_.keys_per_event_max);
  const nostr::Event& event = guest.event->event;
  const std::size_t bytes = cost(guest);
  bytes_ += bytes;
  ++current_[event_type(event.kind)];
  Author& author = by_author_[event.pubkey];
  author.bytes += bytes;
  author.seats.insert(number);
  by_id_.emplace(event.id, number);
  for (const std::string& key : guest.keys) by_key_[key].insert(number);
  seats_.emplace(number, Seat{std::move(guest), bytes, Turn::Waiting});
  next_ = std::max(next_, number + 1);
}

void WaitingRoom::vacate(Number number, Notes& notes) {
  const auto at = seats_.find(number);
  const auto& [guest, bytes, turn] = at->second;
  const nostr::Event& event = guest.event->event;
  for (const std::string& key : guest.keys) {
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
  notes.push_back({note::waiting_key(number), std::nullopt});
}

bool WaitingRoom::is_over_share(const Author& author) const {
  return author.seats.size() > limits_.events_max / limits_.authors_min ||
         author.bytes > limits_.bytes_max / limits_.authors_min;
}

void WaitingRoom::make_room(const nostr::PublicKey& author, Notes& notes) {
  for (auto at = by_author_.find(author); at != by_author_.end(); at = by_author_.find(author)) {
    if (!is_over_share(at->second)) break;
    vacate(*at->second.seats.begin(), notes);
  }
  while (seats_.size() > limits_.events_max || bytes_ > limits_.bytes_max)
    vacate(seats_.begin()->first, notes);
}

void WaitingRoom::leave(const nostr::EventId& id, Notes& notes) {
  const auto at = by_id_.find(id);
  if (at != by_id_.end()) vacate(at->second, notes);
}

void WaitingRoom::expire(core::UnixSeconds now, Notes& notes) {
  while (!seats_.empty() && seats_.begin()->second.guest.since + limits_.patience <= now) {
    ++expired_[event_type(seats_.begin()->second.guest.event->event.kind)];
    vacate(seats_.begin()->first, notes);
  }
}

// Who is on the way to a decision will meet what has arrived.
void WaitingRoom::call(const std::string& key) {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return;
  for (const Number number : at->second) {
    Seat& seat = seats_.at(number);
    if (seat.turn != Turn::Waiting) continue;
    seat.turn = Turn::Called;
    called_.insert(number);
  }
}

void WaitingRoom::call_all() {
  for (auto& [number, seat] : seats_) {
    seat.turn = Turn::Called;
    called_.insert(number);
  }
}

void WaitingRoom::call_again(const nostr::EventId& id) {
  const auto at = by_id_.find(id);
  if (at == by_id_.end()) return;
  seats_.at(at->second).turn = Turn::Called;
  called_.insert(at->second);
}

std::vector<Retry> WaitingRoom::take_called(std::size_t max) {
  std::vector<Retry> taken;
  while (!called_.empty() && taken.size() < max) {
    Seat& seat = seats_.at(*called_.begin());
    called_.erase(called_.begin());
    seat.turn = Turn::Out;
    taken.push_back({seat.guest.event, seat.guest.origin});
  }
  return taken;
}

bool WaitingRoom::is_waiting(const nostr::EventId& id) const {
  const auto at = by_id_.find(id);
  return at != by_id_.end() && seats_.at(at->second).turn == Turn::Waiting;
}

std::vector<nostr::WireEventPtr> WaitingRoom::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(seats_.size());
  for (const auto& [number, seat] : seats_) all.push_back(seat.guest.event);
  return all;
}

std::vector<nostr::WireEventPtr> WaitingRoom::events_of(const nostr::PublicKey& author) const {
  std::vector<nostr::WireEventPtr> theirs;
  if (const auto at = by_author_.find(author); at != by_author_.end())
    for (const Number number : at->second.seats) theirs.push_back(seats_.at(number).guest.event);
  return theirs;
}

bool WaitingRoom::restore(std::string_view key, std::string_view value, Notes& notes) {
  const auto number = note::parse_waiting_key(key);
  auto guest = note::parse_guest(value);
  if (!number || !guest || contains(guest->event->event.id)) return false;
  const nostr::PublicKey author = guest->event->event.pubkey;
  guest->keys = lacks_of(guest->event->event);
  seat(*number, *std::move(guest));
  make_room(author, notes);
  return true;
}

}  // namespace graspd::grasp
