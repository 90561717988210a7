#include "grasp/held_space.h"

namespace graspd::grasp {
namespace {

// Heavy authors that are looked at in search of one who may lose something.
constexpr std::size_t kHeaviestSeen = 64;

}  // namespace

HeldSpace::Room HeldSpace::room_for(const nostr::WireEvent& event, const Held* instead_of) const {
  const Share* own = by_author_.find(event.event.pubkey);
  const std::size_t freed = instead_of ? instead_of->event->json.size() : 0;
  if (own && !instead_of && own->events >= limits_.events_per_author_max) return Room::AuthorFull;
  if ((own ? own->bytes : 0) - freed + event.json.size() > limits_.bytes_per_author_max)
    return Room::AuthorFull;
  return bytes_ - freed + event.json.size() > limits_.bytes_max ? Room::Full : Room::Yes;
}

std::size_t HeldSpace::bytes_of(const nostr::PublicKey& author) const {
  const Share* own = by_author_.find(author);
  return own ? own->bytes : 0;
}

std::optional<nostr::PublicKey> HeldSpace::heaviest(const MayLose& may_lose) const {
  std::size_t seen = 0;
  for (auto at = by_weight_.rbegin(); at != by_weight_.rend() && seen < kHeaviestSeen; ++at, ++seen)
    if (may_lose(at->second)) return at->second;
  return std::nullopt;
}

void HeldSpace::count(const Held& held, std::ptrdiff_t by) {
  const auto bytes =
      static_cast<std::size_t>(by * static_cast<std::ptrdiff_t>(held.event->json.size()));
  const nostr::PublicKey& author = held.event->event.pubkey;
  Share& share = by_author_[author];
  by_weight_.erase(std::pair(share.bytes, author));
  bytes_ += bytes;
  share.bytes += bytes;
  share.events += static_cast<std::size_t>(by);
  if (share.events == 0)
    by_author_.erase(author);
  else
    by_weight_.insert({share.bytes, author});
  const nostr::EventId& id = held.event->event.id;
  by > 0 ? void(authors_.insert_or_assign(id, author)) : void(authors_.erase(id));
}

}  // namespace graspd::grasp
