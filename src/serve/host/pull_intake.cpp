#include "serve/host/pull_intake.h"

#include <limits>

#include "net/clock.h"
#include "serve/host/pull_refs.h"
#include "store/answer.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;

// A status names one pull request, and perhaps a revision of it.
constexpr std::size_t kNamedMax = 8;
// Updates of one pull request that are closed with it.
constexpr std::size_t kUpdatesMax = 1'000;

std::vector<nostr::EventId> named_in(const nostr::Event& status) {
  std::vector<nostr::EventId> named;
  for (const nostr::Tag tag : status.tags) {
    const auto id = tag.name() == "e" ? nostr::EventId::from_hex(tag.value()) : std::nullopt;
    if (id && named.size() < kNamedMax) named.push_back(*id);
  }
  return named;
}

std::vector<nostr::EventId> updates_of(const nostr::EventId& pull, const store::EventStore& store) {
  nostr::Filter filter;
  filter.kinds = {{grasp::kinds::kPullRequestUpdate}};
  filter.tags = {{'E', {pull.hex()}}};
  filter.limit = kUpdatesMax;
  std::vector<nostr::EventId> updates;
  store::Cursor cursor({std::move(filter)}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) { updates.push_back(found.position.id); };
  for (const auto here = store.snapshot(); here;) {
    const auto read = (*here)->read(cursor, {}, net::now().unix_seconds, visit);
    if (!read || *read == store::ReadState::Finished) break;
  }
  return updates;
}

}  // namespace

PullIntake::PullIntake(Hosting& hosting, Alignments& alignments, std::size_t threads,
                       Touched touched)
    : hosting_(hosting),
      alignments_(alignments),
      touched_(std::move(touched)),
      batches_(threads,
               [this](const Identifier& identifier, const std::vector<nostr::EventId>& ids) {
                 // Others may have released some meanwhile, in all repositories they name.
                 AlignmentScope scope;
                 {
                   const auto known = hosting_.known();
                   for (const nostr::EventId& id : ids)
                     if (known->purgatory().pull(id)) scope.pulls.push_back({id});
                 }
                 if (!scope.pulls.empty()) alignments_.align(identifier, std::move(scope));
               }) {}

void PullIntake::answer_now(const nostr::EventId& id, const relay::Answer& answer) const {
  answer(hosting_.is_stored(id) ? store::answer_to(store::Outcome::Stored)
                                : nostr::Answer{nostr::Outcome::Held, true, grasp::kInPurgatory});
}

void PullIntake::add(const nostr::WireEventPtr& event, relay::Answer answer) {
  std::set<Identifier> identifiers;
  for (const Coordinate& repository : grasp::parse_pull_request(event->event).repositories)
    identifiers.insert(repository.identifier);
  batches_.add(
      {event->event.id,
       {identifiers.begin(), identifiers.end()},
       [this, id = event->event.id, answer = std::move(answer)] { answer_now(id, answer); }});
}

bool PullIntake::may_set_status(const nostr::PublicKey& by) const {
  return hosting_.known()->catalog().is_involved(by);
}

void PullIntake::follow_status(const nostr::Event& status) {
  for (const nostr::EventId& id : named_in(status)) {
    const auto repositories = carrying(id, status.pubkey);
    if (repositories.empty()) continue;
    auto pulls = updates_of(id, hosting_.store);
    pulls.push_back(id);
    for (const Coordinate& repository : repositories) follow_status_in(repository, pulls);
  }
}

// Repositories in which this key decides about the pull request.
std::vector<Coordinate> PullIntake::carrying(const nostr::EventId& id,
                                             const nostr::PublicKey& by) const {
  const auto pull = hosting_.find_pull(id);
  if (!pull) return {};
  const auto known = hosting_.known();
  auto all = known->repos_of(*pull);
  std::erase_if(all, [&](const Coordinate& repository) {
    return !known->catalog().authority(repository).contains(by);
  });
  return all;
}

void PullIntake::follow_status_in(const Coordinate& repository,
                                  const std::vector<nostr::EventId>& ids) {
  AlignmentScope open;
  std::vector<nostr::EventId> closed;
  {
    const auto guard = hosting_.repos.lock(hosting_.key(repository));
    PullRefs refs(hosting_, repository);
    for (const nostr::EventId& id : ids) {
      const auto pull = hosting_.find_pull(id);
      if (!pull) continue;
      if (refs.is_closed(*pull))
        closed.push_back(id);
      else
        open.pulls.push_back({id});
    }
    if (!closed.empty() && refs.drop(closed)) touched_(repository);
  }
  if (!open.pulls.empty()) alignments_.align(repository.identifier, std::move(open));
}

void PullIntake::drop_refs(const std::vector<nostr::EventId>& ids,
                           const std::set<Identifier>& identifiers) {
  const auto known = hosting_.known();
  for (const Identifier& identifier : identifiers) {
    auto repositories = known->catalog().repos(identifier);
    std::ranges::move(known->departed(identifier), std::back_inserter(repositories));
    for (const Coordinate& repository : repositories) {
      if (!hosting_.has_repository(repository)) continue;
      const auto guard = hosting_.repos.lock(hosting_.key(repository));
      PullRefs(hosting_, repository).drop(ids);
    }
  }
}

}  // namespace graspd::serve
