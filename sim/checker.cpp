// What a perfect server would hold: computed from what the relays hold, without any of sync.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "sim/trace.h"
#include "sim/world.h"
#include "web/sync_summary.h"

namespace graspd::sim {
namespace {

// The repositories an event is about: by address, or by a thread of it.
std::set<std::string> repos_of(const nostr::Event& event, const Intake& ideal) {
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
bool is_followed(const nostr::Event& event, const std::string& relay, const Intake& ideal) {
  if (event.kind.value == 30617) return true;
  const auto repos = repos_of(event, ideal);
  for (const auto& [address, announcement] : ideal.announcements()) {
    if (!lists(announcement, relay)) continue;
    if (event.kind.value == 30618 && nostr::identifier(event) == address.identifier) return true;
    if (repos.contains(address.text())) return true;
  }
  return false;
}

constexpr core::UnixSeconds kArrival = 300;  // a new event is here by then, also by rotation
constexpr core::UnixSeconds kSkew = 600;     // what live misses is looked for so far back

// A relay that gives so little at a time looks like one that has no more, when all it ever gave is
// one answer: nobody can tell them apart before it gives more.
bool looks_small(const Peer& relay) { return relay.ids_given.size() <= relay.cap(); }

// Must sync know it by now? What a relay keeps from its subscribers, or dates into the past while
// nobody is connected, is found by the next fresh start only.
bool is_due(const Peer& relay, const nostr::Event& event, core::UnixSeconds now,
            std::optional<core::UnixSeconds> fresh_at) {
  if (relay.habits.withheld.contains(event.id)) return false;
  const auto at = relay.published.find(event.id);
  const core::UnixSeconds published = at == relay.published.end() ? 0 : at->second;
  if (fresh_at && published < *fresh_at) return true;
  const Habits& habits = relay.habits;
  const bool is_lossy = habits.lose_live_one_in > 0 || habits.mute_one_in > 0 || habits.deaf;
  return !is_lossy && published + kArrival <= now && event.created_at + kSkew >= published;
}

}  // namespace

std::string World::untruth() const {
  if (now_ - fed_at_ <= options_.batch_window + 1s) return {};  // it does not know what it wants
  for (const auto& [where, relay] : peers_) {
    const sync::Relay* followed = engine_->find(where);
    if (followed == nullptr) continue;
    const auto status = engine_->status_of(*followed, now());
    if (sync::summary_of(status, unix_now()).tone != sync::Tone::Good) continue;
    for (const nostr::Event& event : relay->events) {
      if (intake_.knows(event.id)) continue;
      if (!is_due(*relay, event, unix_now(), followed->memory.fresh_at)) continue;
      if (!is_followed(event, where.text(), intake_) || looks_small(*relay)) continue;
      return fmt::format("{} is called in sync at {} s, and has {}", where.text(),
                         now_.time_since_epoch() / 1s, in_words(event));
    }
  }
  return {};
}

std::vector<nostr::EventId> World::missing() const {
  Intake ideal([](const sync::Input&) {});
  for (const auto& [id, event] : intake_.known()) {
    if (event.kind.value == 30617) ideal.judge(event);
  }
  // Threads first: what answers them need not wait then, which is what takes the time.
  for (const bool threads : {true, false}) {
    for (const auto& [id, event] : intake_.stored()) {
      if ((event.kind.value == 1621) == threads) ideal.judge(event);
    }
  }
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
        const auto outcome = ideal.judge(event);
        grew |= outcome == nostr::Outcome::Stored || event.kind.value == 30617;
      }
    }
  }
  for (const auto& [id, event] : ideal.stored()) {
    if (!intake_.has(id)) out.push_back(id);
  }
  return out;
}

bool World::is_complete() const {
  const bool knows_all = std::all_of(peers_.begin(), peers_.end(), [&](const auto& one) {
    const auto& events = one.second->events;
    return std::all_of(events.begin(), events.end(),
                       [&](const nostr::Event& event) { return intake_.knows(event.id); });
  });
  return knows_all || missing().empty();  // most often the first will do
}

}  // namespace graspd::sim
