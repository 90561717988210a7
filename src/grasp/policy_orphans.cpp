// Who may wait in purgatory when it is full (R9).
#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "grasp/policy.h"
#include "nostr/nip19.h"

namespace graspd::grasp {

std::optional<Refuse> Policy::make_space(const Call& call, const Held* instead_of) {
  const std::size_t freed = instead_of ? instead_of->event->json.size() : 0;
  const std::size_t bytes = purgatory_.bytes_of(call.event.pubkey) - freed + call.wire->json.size();
  for (;;) {
    switch (purgatory_.space_for(*call.wire, instead_of)) {
      case Purgatory::Room::Yes:
        return std::nullopt;
      case Purgatory::Room::AuthorFull:
        return Refuse{"rate-limited: too many of your events wait for git data; push some first"};
      case Purgatory::Room::Full:
        break;
    }
    const auto who = loser(call.event.pubkey, bytes);
    if (!who || !take_from(*who, call.changes))
      return Refuse{"rate-limited: too many events wait for git data here; try again later"};
  }
}

// People who have a say in a repository that is served are not held against an address: others may
// use it too.
std::string Policy::source_of(const Call& call) const {
  if (catalog_.is_involved(call.event.pubkey)) return {};
  if (call.origin.synced) return call.origin.relay ? call.origin.relay->text() : std::string();
  return call.origin.client ? call.origin.client->allotment().text() : std::string();
}

std::optional<Refuse> Policy::make_place(const Call& call, const Coordinate& announcement,
                                         const std::string& source) {
  const PurgatoryLimits& limits = purgatory_.limits();
  switch (purgatory_.place_for(announcement, source, call.origin.synced)) {
    case Purgatory::Place::Yes:
      return std::nullopt;
    case Purgatory::Place::SourceFull:
      return Refuse{fmt::format(
          "rate-limited: {} announcements from your {} wait for git data here, and no more may; "
          "push to their repositories first",
          call.origin.synced ? limits.announcements_per_relay_max
                             : limits.announcements_per_address_max,
          call.origin.synced ? "relay" : "address")};
    case Purgatory::Place::Full:
      break;
  }
  const auto loses = purgatory_.next_to_go(source);
  const Held* held = loses ? purgatory_.announcement(*loses) : nullptr;
  if (!held || is_due(*catalog_.find(*loses)))
    return Refuse{
        fmt::format("rate-limited: {} announcements wait for git data here, and no more "
                    "may; try again later",
                    limits.announcements_max)};
  const nostr::WireEventPtr gone = held->event;
  evict(gone->event, call.changes);
  return std::nullopt;
}

std::optional<nostr::PublicKey> Policy::loser(const nostr::PublicKey& newcomer,
                                              std::size_t bytes) const {
  const auto is_other = [&](const nostr::PublicKey& who) { return who != newcomer; };
  const auto is_stranger = [&](const nostr::PublicKey& who) {
    return is_other(who) && !catalog_.is_involved(who);
  };
  const bool is_member = catalog_.is_involved(newcomer);
  const auto stranger = purgatory_.heaviest(is_stranger);
  if (stranger && (is_member || purgatory_.bytes_of(*stranger) > bytes)) return stranger;
  const auto member = is_member ? purgatory_.heaviest(is_other) : std::nullopt;
  return member && purgatory_.bytes_of(*member) > bytes ? member : std::nullopt;
}

// What only waits to be written is no longer theirs to lose.
bool Policy::take_from(const nostr::PublicKey& author, Transition& changes) {
  for (const nostr::WireEventPtr& wire : purgatory_.held_by(author)) {
    const auto announced = wire->event.kind == kinds::kAnnouncement
                               ? Identifier::parse(wire->event.tags.first("d").value_or(""))
                               : std::nullopt;
    const Listing* listing = announced ? catalog_.find({author, *announced}) : nullptr;
    if (listing && is_due(*listing)) continue;
    evict(wire->event, changes);
    return true;
  }
  return false;
}

void Policy::evict(const nostr::Event& event, Transition& changes) {
  core::log::warn("[PURGATORY_EVICTED] npub={} event_id={} kind={} reason=\"no room\"",
                  nostr::nip19::npub(event.pubkey), event.id.hex(), event.kind.value);
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (event.kind == kinds::kState)
    return forget_waiting_state({event.pubkey, *identifier}, changes);
  if (event.kind != kinds::kAnnouncement) return purgatory_.drop_pull(event.id, changes);
  const Coordinate key{event.pubkey, *identifier};
  if (catalog_.is_view(key)) changes.add(RemoveRepository{key, RemoveRepository::Why::NoData});
  purgatory_.drop_announcement(key, changes);
  catalog_.erase(key);
  changes.add(AlignGroup{key.identifier});
  call_end(event);
}

}  // namespace graspd::grasp
