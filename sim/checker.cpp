// What a perfect server would hold: computed from what the relays hold, without any of sync.
#include <algorithm>
#include <set>

#include "sim/world.h"

namespace graspd::sim {
namespace {

// The repositories an event is about: by address, or by a thread of it.
std::set<std::string> repos_of(const nostr::Event& event, const Door& ideal) {
  std::set<std::string> out;
  for (const nostr::Tag tag : event.tags) {
    const std::string_view name = tag.name();
    if (name == "a" || name == "A" || name == "q") out.emplace(tag.value());
    if (name != "e" && name != "E" && name != "q") continue;
    const auto id = nostr::EventId::from_hex(tag.value());
    const auto root = id ? ideal.stored().find(*id) : ideal.stored().end();
    if (root == ideal.stored().end() || root->second.kind.value != 1621) continue;
    for (const nostr::Tag a : root->second.tags) {
      if (a.name() == "a") out.emplace(a.value());
    }
  }
  return out;
}

bool lists(const nostr::Event& announcement, const std::string& relay) {
  const auto relays = relays_of(announcement);
  return std::find(relays.begin(), relays.end(), relay) != relays.end();
}

// Is the event asked for at this relay?
bool is_followed(const nostr::Event& event, const std::string& relay, const Door& ideal) {
  if (event.kind.value == 30617) return true;
  const auto repos = repos_of(event, ideal);
  for (const auto& [address, announcement] : ideal.announcements()) {
    if (!lists(announcement, relay)) continue;
    if (event.kind.value == 30618 && nostr::identifier(event) == address.identifier) return true;
    if (repos.contains(address.text())) return true;
  }
  return false;
}

}  // namespace

std::vector<nostr::EventId> World::missing() const {
  Door ideal([](const sync::Input&) {});
  for (const auto& [id, event] : door_.known()) {
    if (event.kind.value == 30617) ideal.judge(event);
  }
  for (const auto& [id, event] : door_.stored()) ideal.judge(event);
  std::vector<nostr::EventId> out;
  bool announcements_only = true;  // first who is followed where, then what is said there
  for (bool grew = true; grew || announcements_only;) {
    announcements_only &= grew;
    grew = false;
    std::set<std::string> reachable;
    for (const nostr::RelayUrl& where : options_.bootstrap) reachable.insert(where.text());
    for (const auto& [address, announcement] : ideal.announcements()) {
      for (const std::string& relay : relays_of(announcement)) reachable.insert(relay);
    }
    for (const auto& [where, relay] : peers_) {
      if (!reachable.contains(where.text())) continue;
      for (const nostr::Event& event : relay->events) {
        if (ideal.knows(event.id) || relay->habits.withheld.contains(event.id)) continue;
        if (announcements_only && event.kind.value != 30617) continue;
        if (!is_followed(event, where.text(), ideal)) continue;
        const auto verdict = ideal.judge(event);
        grew |= verdict == sync::Verdict::Stored || event.kind.value == 30617;
      }
    }
  }
  for (const auto& [id, event] : ideal.stored()) {
    if (!door_.has(id)) out.push_back(id);
  }
  return out;
}

bool World::is_complete() const { return missing().empty(); }

}  // namespace graspd::sim
