#include "sim/door.h"

#include <algorithm>

#include "nostr/replaceable.h"
#include "sim/events.h"

namespace graspd::sim {

std::vector<std::string> relays_of(const nostr::Event& announcement) {
  std::vector<std::string> out;
  for (const nostr::Tag tag : announcement.tags) {
    if (tag.name() != "relays") continue;
    for (std::size_t i = 1; i < tag.size(); ++i) {
      if (tag[i] != kOurUrl) out.emplace_back(tag[i]);
    }
  }
  return out;
}

namespace {

bool lists_us(const nostr::Event& announcement) {
  for (const nostr::Tag tag : announcement.tags) {
    if (tag.name() != "relays") continue;
    for (std::size_t i = 1; i < tag.size(); ++i) {
      if (tag[i] == kOurUrl) return true;
    }
  }
  return false;
}
bool is_newer(const nostr::Event& a, const nostr::Event& b) {
  return a.created_at != b.created_at ? a.created_at > b.created_at : a.id < b.id;
}

}  // namespace

Intake::Decision Intake::decide(const nostr::Event& event) const {
  if (event.kind.value == 30617) {
    const auto newest = newest_.find(*nostr::address_of(event));
    const bool is_newest = newest == newest_.end() || is_newer(event, newest->second);
    return is_newest && lists_us(event) ? Decision::Take : Decision::Refuse;
  }
  if (event.kind.value == 30618) {
    const bool known = identifiers_.contains(std::string(nostr::identifier(event)));
    return known ? Decision::Take : Decision::Wait;
  }
  for (const nostr::Tag tag : event.tags) {
    const std::string_view name = tag.name();
    if (name == "a" || name == "A" || name == "q") {
      if (repo_texts_.contains(std::string(tag.value()))) return Decision::Take;
    }
    if (name == "e" || name == "E" || name == "q") {
      const auto id = nostr::EventId::from_hex(tag.value());
      if (id && stored_.contains(*id)) return Decision::Take;
    }
  }
  return Decision::Wait;
}

void Intake::tell(const nostr::Event& event) const {
  if (event.kind.value == 30617) {
    feed_(sync::RepoSeen{*nostr::address_of(event), sync::Level::Full, relays_of(event), {}});
  }
  if (event.kind.value != 1621) return;
  sync::RootSeen seen{event.id, {}, event.created_at};
  for (const nostr::Tag tag : event.tags) {
    const auto address = tag.name() == "a" ? nostr::Address::parse(tag.value()) : std::nullopt;
    if (address) seen.repos.push_back(*address);
  }
  feed_(seen);
}

void Intake::take(const nostr::Event& event) {
  if (event.kind.value == 30617) {
    const nostr::Address address = *nostr::address_of(event);
    announcements_.insert_or_assign(address, event);
    repo_texts_.insert(address.text());
    identifiers_.insert(address.identifier);
  }
  stored_.emplace(event.id, event);
  tell(event);
}

void Intake::supersede(const nostr::Event& event) {
  const nostr::Address address = *nostr::address_of(event);
  const auto newest = newest_.find(address);
  if (newest != newest_.end() && !is_newer(event, newest->second)) return;
  newest_.insert_or_assign(address, event);
  const auto older = announcements_.find(address);
  if (older == announcements_.end()) return;
  stored_.erase(older->second.id);
  announcements_.erase(older);
  repo_texts_.erase(address.text());
  if (!lists_us(event)) feed_(sync::RepoGone{address});
}

void Intake::retry_waiting() {
  bool again = true;
  while (again) {
    again = false;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      const bool takes = decide(at->second) == Decision::Take;
      if (takes) take(at->second);
      again |= takes;
      at = takes ? waiting_.erase(at) : std::next(at);
    }
  }
}

nostr::Outcome Intake::judge(const nostr::Event& event) {
  if (!known_.emplace(event.id, event).second) return nostr::Outcome::Known;
  const Decision decision = decide(event);
  if (event.kind.value == 30617) supersede(event);
  switch (decision) {
    case Decision::Take:
      take(event);
      retry_waiting();
      return nostr::Outcome::Stored;
    case Decision::Wait:
      waiting_.emplace(event.id, event);
      return nostr::Outcome::Held;
    case Decision::Refuse:
      return nostr::Outcome::Refused;
  }
  return nostr::Outcome::Refused;
}

void Intake::replay() const {
  for (const auto& [address, event] : announcements_) tell(event);
  for (const auto& [id, event] : stored_) {
    if (event.kind.value != 30617) tell(event);
  }
}

}  // namespace graspd::sim
