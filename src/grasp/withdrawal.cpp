#include "grasp/withdrawal.h"

#include "core/log.h"
#include "nostr/json.h"

namespace graspd::grasp {

std::vector<Coordinate> left_unsigned(const Catalog& after, const nostr::PublicKey& author,
                                      const Identifier& identifier) {
  std::vector<Coordinate> repos = after.repos_ruled_by(author, identifier);
  std::erase_if(repos, [&](const Coordinate& repo) {
    return after.find(repo)->place != Place::Served || after.served_state(repo);
  });
  return repos;
}

void withdraw(PolicyState& state, const nostr::WireEventPtr& announcement, core::UnixSeconds now,
              Transition& changes) {
  auto announced = state.rules().read_announcement(announcement->event);
  const Listing* known = announced ? state.catalog.find(announced->coordinate) : nullptr;
  if (!known || known->place != Place::Served) return;
  const Coordinate repo = announced->coordinate;
  core::log::info("the repository {} is out of service: its last state is gone", repo.path());
  changes.add(store::Remove{known->announcement.id});
  state.archive_threads(*known, now, changes);
  state.removals.schedule(repo, state.removal_due(*known, now), changes);
  state.expirations.forget(kinds::kAnnouncement, repo, changes);
  state.purgatory.hold_announcement(repo, {announcement, state.purgatory.deadline(now)}, changes);
  state.catalog.put({*std::move(announced), Place::Waiting, true});
  changes.add(AlignGroup{repo.identifier});
}

void withdraw(PolicyState& state, const Coordinate& repo, const store::Snapshot& here,
              core::UnixSeconds now, Transition& changes) {
  const Listing* known = state.catalog.find(repo);
  auto json = known ? here.find_json(known->announcement.id) : std::nullopt;
  if (!json) return;
  auto event = nostr::JsonReader().event(*json);
  if (!event) return;
  nostr::WireEvent wire{*std::move(event), *std::move(json)};
  withdraw(state, std::make_shared<nostr::WireEvent>(std::move(wire)), now, changes);
}

}  // namespace graspd::grasp
