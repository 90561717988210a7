#include "app/import_ngit/ngit_past.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "grasp/announcement.h"
#include "grasp/archived_threads.h"
#include "grasp/held_threads.h"
#include "grasp/history.h"
#include "grasp/references.h"
#include "nostr/replaceable.h"

namespace graspd::app {
namespace {

using grasp::Coordinate;

std::optional<grasp::Announcement> announced_by(const nostr::Event& event) {
  if (event.kind != grasp::kinds::kAnnouncement) return std::nullopt;
  auto announced = grasp::parse_announcement(event);
  if (!announced) return std::nullopt;
  return *std::move(announced);
}

// Which repository an event goes with, found from the announcements outwards.
class HeldEvents {
 public:
  explicit HeldEvents(const std::vector<nostr::WireEventPtr>& held) : held_(held) {
    for (const nostr::WireEventPtr& wire : held_)
      if (const auto announced = announced_by(wire->event)) {
        auto& newest = gone_[announced->coordinate];
        if (!newest || newest->event.created_at < wire->event.created_at) newest = wire;
      }
    for (const auto& [coordinate, wire] : gone_) {
      by_address_.emplace(coordinate.announcement_address(), coordinate);
      by_id_.emplace(wire->event.id, coordinate);
    }
    while (assign_more()) {
    }
  }

  const std::map<Coordinate, nostr::WireEventPtr>& gone() const { return gone_; }
  const std::map<nostr::EventId, Coordinate>& assigned() const { return assigned_; }

 private:
  bool assign_more() {
    bool found = false;
    for (const nostr::WireEventPtr& wire : held_) {
      const nostr::Event& event = wire->event;
      if (event.kind == grasp::kinds::kAnnouncement || assigned_.contains(event.id)) continue;
      const auto home = home_of(event);
      if (!home) continue;
      assigned_.emplace(event.id, *home);
      by_id_.emplace(event.id, *home);
      found = true;
    }
    return found;
  }

  std::optional<Coordinate> home_of(const nostr::Event& event) const {
    if (event.kind == grasp::kinds::kState) return home_of_state(event);
    const grasp::References out = grasp::references_of(event);
    for (const nostr::Address& address : out.addresses)
      if (const auto at = by_address_.find(address); at != by_address_.end()) return at->second;
    for (const nostr::EventId& id : out.ids)
      if (const auto at = by_id_.find(id); at != by_id_.end()) return at->second;
    return std::nullopt;
  }

  std::optional<Coordinate> home_of_state(const nostr::Event& state) const {
    const auto identifier = state.tags.first("d").value_or("");
    for (const auto& [coordinate, wire] : gone_)
      if (coordinate.identifier.text() == identifier) return coordinate;
    return std::nullopt;
  }

  const std::vector<nostr::WireEventPtr>& held_;
  std::map<Coordinate, nostr::WireEventPtr> gone_;
  std::map<nostr::Address, Coordinate> by_address_;
  std::map<nostr::EventId, Coordinate> by_id_, assigned_;
};

}  // namespace

std::vector<store::Note> notes_of_versions(const std::vector<nostr::WireEventPtr>& versions) {
  std::map<nostr::Address, std::vector<nostr::WireEventPtr>> by_address;
  for (const nostr::WireEventPtr& wire : versions)
    if (const auto past = grasp::history::past_of(wire->event))
      by_address[past->address()].push_back(wire);
  std::vector<store::Note> notes;
  for (auto& [address, all] : by_address) {
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return nostr::wins({a->event.created_at, a->event.id}, {b->event.created_at, b->event.id});
    });
    all.resize(std::min(all.size(), grasp::history::kVersionsMax));
    for (const nostr::WireEventPtr& wire : all)
      notes.push_back(grasp::history::past_of(wire->event)->note(wire->json));
  }
  return notes;
}

HeldByNgit notes_of_held(const std::vector<nostr::WireEventPtr>& held, core::UnixSeconds due) {
  const HeldEvents events(held);
  HeldByNgit found;
  for (const auto& [coordinate, wire] : events.gone())
    found.notes.push_back(grasp::ArchivedThreads::note(
        coordinate, grasp::ArchivedThreads::Term{due, wire->event.id}));
  found.repositories = found.notes.size();
  for (const nostr::WireEventPtr& wire : held)
    if (const auto at = events.assigned().find(wire->event.id); at != events.assigned().end()) {
      found.notes.push_back(grasp::held_threads::keeping(at->second, *wire));
      ++found.events;
    }
  return found;
}

}  // namespace graspd::app
