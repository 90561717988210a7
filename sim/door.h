// Our own relay, as far as sync can see it: what it takes, keeps waiting or refuses, and the feed
// of what it took.
//
//   R1  A repository is taken when the newest version of its announcement lists us.
//   R2  Another event is taken when it names a taken repository (a, A, q, or d of a state) or a
//       taken event (e, E, q); until then it waits, and is tried again when something is taken.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "nostr/address.h"
#include "sync/messages.h"

namespace graspd::sim {

class Intake {
 public:
  using Feed = std::function<void(sync::Input)>;
  explicit Intake(Feed feed) : feed_(std::move(feed)) {}

  nostr::Outcome judge(const nostr::Event& event);
  bool knows(const nostr::EventId& id) const { return known_.contains(id); }
  bool has(const nostr::EventId& id) const { return stored_.contains(id); }
  // The whole of it again, as a restarted engine is fed.
  void replay() const;

  const std::map<nostr::EventId, nostr::Event>& stored() const { return stored_; }
  const std::map<nostr::EventId, nostr::Event>& known() const { return known_; }
  const std::map<nostr::Address, nostr::Event>& announcements() const { return announcements_; }

 private:
  enum class Decision { Take, Wait, Refuse };
  Decision decide(const nostr::Event& event) const;
  void take(const nostr::Event& event);
  void supersede(const nostr::Event& event);  // the older version, by a newer
  void retry_waiting();
  void tell(const nostr::Event& event) const;

  Feed feed_;
  std::map<nostr::EventId, nostr::Event> known_;  // stored, waiting, refused or superseded
  std::map<nostr::EventId, nostr::Event> stored_;
  std::map<nostr::Address, nostr::Event> announcements_;  // followed
  std::map<nostr::Address, nostr::Event> newest_;         // listing us or not
  std::set<std::string> repo_texts_, identifiers_;
  std::map<nostr::EventId, nostr::Event> waiting_;
};

std::vector<std::string> relays_of(const nostr::Event& announcement);  // without us

}  // namespace graspd::sim
