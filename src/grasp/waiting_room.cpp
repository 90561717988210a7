#include "grasp/waiting_room.h"

#include <algorithm>

namespace graspd::grasp {

bool WaitingRoom::is_here(const nostr::WireEvent& event) const {
  const auto author = by_author_.find(event.event.pubkey);
  if (author == by_author_.end()) return false;
  return std::ranges::any_of(author->second.guests, [&](Number number) {
    return guests_.at(number).event->event.id == event.event.id;
  });
}

void WaitingRoom::admit(nostr::WireEventPtr event, std::vector<std::string> keys,
                        core::UnixSeconds now) {
  if (keys.empty() || is_here(*event)) return;
  if (keys.size() > limits_.keys_per_event_max) keys.resize(limits_.keys_per_event_max);
  const nostr::PublicKey who = event->event.pubkey;
  Guest guest{std::move(event), std::move(keys), now, 0};
  guest.bytes = 2 * guest.event->json.size() + kGuestBytes;
  for (const std::string& key : guest.keys) guest.bytes += key.size() + kKeyBytes;
  if (guest.bytes > limits_.bytes_per_author_max) return;

  const Number number = next_++;
  bytes_ += guest.bytes;
  Author& author = by_author_[who];
  author.bytes += guest.bytes;
  author.guests.insert(number);
  for (const std::string& key : guest.keys) by_key_[key].insert(number);
  guests_.emplace(number, std::move(guest));
  make_room(who);
}

void WaitingRoom::make_room(const nostr::PublicKey& author) {
  for (auto at = by_author_.find(author); at != by_author_.end(); at = by_author_.find(author)) {
    if (at->second.bytes <= limits_.bytes_per_author_max) break;
    leave(*at->second.guests.begin());
  }
  while (bytes_ > limits_.bytes_max) leave(guests_.begin()->first);
}

std::vector<nostr::WireEventPtr> WaitingRoom::call(const std::string& key) {
  std::vector<nostr::WireEventPtr> called;
  for (auto at = by_key_.find(key); at != by_key_.end(); at = by_key_.find(key)) {
    const Number number = *at->second.begin();
    called.push_back(guests_.at(number).event);
    leave(number);
  }
  return called;
}

void WaitingRoom::expire(core::UnixSeconds now) {
  while (!guests_.empty() && guests_.begin()->second.since + limits_.patience <= now)
    leave(guests_.begin()->first);
}

void WaitingRoom::leave(Number number) {
  const auto at = guests_.find(number);
  const Guest& guest = at->second;
  for (const std::string& key : guest.keys) {
    const auto waiting = by_key_.find(key);
    if (waiting == by_key_.end()) continue;
    waiting->second.erase(number);
    if (waiting->second.empty()) by_key_.erase(waiting);
  }
  const auto author = by_author_.find(guest.event->event.pubkey);
  author->second.bytes -= guest.bytes;
  author->second.guests.erase(number);
  if (author->second.guests.empty()) by_author_.erase(author);
  bytes_ -= guest.bytes;
  guests_.erase(at);
}

}  // namespace graspd::grasp
