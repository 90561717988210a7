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
  if (const Number* known = by_id_.find(orphan.event->event.id)) {
    called_.erase(*known);
    turn(*known, Turn::Waiting);
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
  by_id_.insert_or_assign(event.id, number);
  for (const std::string& key : orphan.keys) by_key_[key].insert(number);
  seats_.insert_or_assign(
      number, Seat{std::make_shared<const Orphan>(std::move(orphan)), bytes, Turn::Waiting});
  next_ = std::max(next_, number + 1);
}

void OrphanPool::vacate(Number number, Transition& changes) {
  const Seat gone = *seats_.take(number);
  const nostr::Event& event = gone.orphan->event->event;
  for (const std::string& key : gone.orphan->keys) {
    auto* waiting = by_key_.find_to_change(key);
    if (!waiting) continue;
    waiting->erase(number);
    if (waiting->empty()) by_key_.erase(key);
  }
  Author& author = by_author_[event.pubkey];
  author.bytes -= gone.bytes;
  author.seats.erase(number);
  if (author.seats.empty()) by_author_.erase(event.pubkey);
  bytes_ -= gone.bytes;
  --current_[event_type(event.kind)];
  called_.erase(number);
  by_id_.erase(event.id);
  changes.put_note({note::waiting_key(number), std::nullopt});
}

bool OrphanPool::is_over_share(const Author& author) const {
  return author.seats.size() > limits_.events_max / limits_.authors_min ||
         author.bytes > limits_.bytes_max / limits_.authors_min;
}

void OrphanPool::make_space(const nostr::PublicKey& author, Transition& changes) {
  for (const Author* own = by_author_.find(author); own; own = by_author_.find(author)) {
    if (!is_over_share(*own)) break;
    vacate(*own->seats.begin(), changes);
  }
  while (seats_.size() > limits_.events_max || bytes_ > limits_.bytes_max)
    vacate(seats_.begin()->first, changes);
}

void OrphanPool::leave(const nostr::EventId& id, Transition& changes) {
  if (const Number* number = by_id_.find(id)) vacate(*number, changes);
}

void OrphanPool::expire(core::UnixSeconds now, Transition& changes) {
  while (!seats_.empty() && seats_.begin()->second.orphan->since + limits_.patience <= now) {
    ++expired_[event_type(seats_.begin()->second.orphan->event->event.kind)];
    vacate(seats_.begin()->first, changes);
  }
}

// Who is on the way to a decision will meet what has arrived.
void OrphanPool::call(const std::string& key) {
  const auto* waiting = by_key_.find(key);
  if (!waiting) return;
  for (const Number number : *waiting)
    if (seats_.at(number).turn == Turn::Waiting) call(number);
}

void OrphanPool::call_all() {
  const auto all = seats_;
  for (const auto& [number, seat] : all) call(number);
}

void OrphanPool::call_again(const nostr::EventId& id) {
  if (const Number* number = by_id_.find(id)) call(*number);
}

void OrphanPool::call(Number number) {
  turn(number, Turn::Called);
  called_.insert(number);
}

void OrphanPool::turn(Number number, Turn to) {
  if (seats_.at(number).turn != to) seats_.find_to_change(number)->turn = to;
}

std::vector<Retry> OrphanPool::take_called(std::size_t max) {
  std::vector<Retry> taken;
  while (!called_.empty() && taken.size() < max) {
    const Number number = *called_.begin();
    called_.erase(number);
    turn(number, Turn::Out);
    const Orphan& orphan = *seats_.at(number).orphan;
    taken.push_back({orphan.event, orphan.origin});
  }
  return taken;
}

bool OrphanPool::is_waiting(const nostr::EventId& id) const {
  const Number* number = by_id_.find(id);
  return number && seats_.at(*number).turn == Turn::Waiting;
}

std::vector<nostr::WireEventPtr> OrphanPool::events() const {
  std::vector<nostr::WireEventPtr> all;
  all.reserve(seats_.size());
  for (const auto& [number, seat] : seats_) all.push_back(seat.orphan->event);
  return all;
}

std::vector<nostr::WireEventPtr> OrphanPool::events_of(const nostr::PublicKey& author) const {
  std::vector<nostr::WireEventPtr> theirs;
  if (const Author* own = by_author_.find(author))
    for (const Number number : own->seats) theirs.push_back(seats_.at(number).orphan->event);
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

void OrphanPool::forget_note(std::string_view key) {
  Transition known;
  const auto number = note::parse_waiting_key(key);
  if (number && seats_.contains(*number)) vacate(*number, known);
}

std::vector<store::Note> OrphanPool::notes() const {
  std::vector<store::Note> all;
  for (const auto& [number, seat] : seats_)
    all.push_back({note::waiting_key(number), note::text(*seat.orphan)});
  return all;
}

}  // namespace graspd::grasp
