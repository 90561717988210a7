// Rule numbers are those of grasp/policy.h.
#include "grasp/purgatory_space.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {

void evict(PolicyState& state, const nostr::Event& event, Transition& changes) {
  core::log::warn("[PURGATORY_EVICTED] npub={} event_id={} kind={} reason=\"no room\"",
                  nostr::nip19::npub(event.pubkey), event.id.hex(), event.kind.value);
  const auto identifier = Identifier::parse(event.tags.first("d").value_or(""));
  if (event.kind == kinds::kState)
    return state.forget_waiting_state({event.pubkey, *identifier}, changes);
  if (event.kind != kinds::kAnnouncement) return state.purgatory.drop_pull(event.id, changes);
  const Coordinate key{event.pubkey, *identifier};
  if (state.catalog.is_hosted(key))
    changes.add(RemoveRepository{key, RemoveRepository::Why::NoData});
  state.purgatory.drop_announcement(key, changes);
  state.catalog.erase(key);
  changes.add(AlignGroup{key.identifier});
  state.call_end(event);
}

// What only waits to be written is no longer theirs to lose.
bool take_from(PolicyState& state, const nostr::PublicKey& author, Transition& changes) {
  for (const nostr::WireEventPtr& wire : state.purgatory.held_by(author)) {
    const auto announced = wire->event.kind == kinds::kAnnouncement
                               ? Identifier::parse(wire->event.tags.first("d").value_or(""))
                               : std::nullopt;
    const Listing* listing = announced ? state.catalog.find({author, *announced}) : nullptr;
    if (listing && state.is_due(*listing)) continue;
    evict(state, wire->event, changes);
    return true;
  }
  return false;
}

std::optional<nostr::PublicKey> loser(const PolicyState& state, const nostr::PublicKey& newcomer,
                                      std::size_t bytes) {
  const auto is_other = [&](const nostr::PublicKey& who) { return who != newcomer; };
  const auto is_stranger = [&](const nostr::PublicKey& who) {
    return is_other(who) && !state.catalog.is_involved(who);
  };
  const bool is_member = state.catalog.is_involved(newcomer);
  const auto stranger = state.purgatory.space().heaviest(is_stranger);
  if (stranger && (is_member || state.purgatory.space().bytes_of(*stranger) > bytes))
    return stranger;
  const auto member = is_member ? state.purgatory.space().heaviest(is_other) : std::nullopt;
  return member && state.purgatory.space().bytes_of(*member) > bytes ? member : std::nullopt;
}

}  // namespace

// People who have a say in a repository that is served are not held against an address: others may
// use it too.
std::string source_of(const DecisionContext& context) {
  if (context.state.catalog.is_involved(context.event.pubkey)) return {};
  if (context.origin.synced)
    return context.origin.relay ? context.origin.relay->text() : std::string();
  return context.origin.client ? context.origin.client->allotment().text() : std::string();
}

std::optional<Refuse> make_space(const DecisionContext& context, const Held* instead_of) {
  const std::size_t freed = instead_of ? instead_of->event->json.size() : 0;
  const std::size_t bytes = context.state.purgatory.space().bytes_of(context.event.pubkey) - freed +
                            context.wire->json.size();
  for (;;) {
    switch (context.state.purgatory.space().room_for(*context.wire, instead_of)) {
      case HeldSpace::Room::Yes:
        return std::nullopt;
      case HeldSpace::Room::AuthorFull:
        return Refuse{"rate-limited: too many of your events wait for git data; push some first"};
      case HeldSpace::Room::Full:
        break;
    }
    const auto who = loser(context.state, context.event.pubkey, bytes);
    if (!who || !take_from(context.state, *who, context.changes))
      return Refuse{"rate-limited: too many events wait for git data here; try again later"};
  }
}

std::optional<Refuse> make_place(const DecisionContext& context, const Coordinate& announcement,
                                 const std::string& source) {
  const PurgatoryLimits& limits = context.state.purgatory.limits();
  switch (context.state.purgatory.announcements().place_for(announcement, source,
                                                            context.origin.synced, limits)) {
    case WaitingAnnouncements::Place::Yes:
      return std::nullopt;
    case WaitingAnnouncements::Place::SourceFull:
      return Refuse{fmt::format(
          "rate-limited: {} announcements from your {} wait for git data here, and no more may; "
          "push to their repositories first",
          context.origin.synced ? limits.announcements_per_relay_max
                                : limits.announcements_per_address_max,
          context.origin.synced ? "relay" : "address")};
    case WaitingAnnouncements::Place::Full:
      break;
  }
  const auto loses = context.state.purgatory.announcements().next_to_go(source);
  const Held* held = loses ? context.state.purgatory.announcement(*loses) : nullptr;
  if (!held || context.state.is_due(*context.state.catalog.find(*loses)))
    return Refuse{
        fmt::format("rate-limited: {} announcements wait for git data here, and no more "
                    "may; try again later",
                    limits.announcements_max)};
  const nostr::WireEventPtr gone = held->event;
  evict(context.state, gone->event, context.changes);
  return std::nullopt;
}

}  // namespace graspd::grasp
