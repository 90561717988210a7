#include "serve/host/alignments.h"

#include <set>

#include "net/clock.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;

// Identifiers whose repositories an event is about.
std::set<Identifier> groups_of(const nostr::Event& event) {
  std::set<Identifier> groups;
  if (event.kind == grasp::kinds::kAnnouncement || event.kind == grasp::kinds::kState) {
    if (auto identifier = Identifier::parse(event.tags.first("d").value_or("")))
      groups.insert(*std::move(identifier));
    return groups;
  }
  for (const Coordinate& repository : grasp::parse_pull_request(event).repositories)
    groups.insert(repository.identifier);
  return groups;
}

}  // namespace

Alignments::Alignments(Hosting& hosting, std::size_t threads)
    : hosting_(hosting),
      queue_(
          threads,
          [this](const Identifier& identifier) {
            return slices(*hosting_.known(), identifier, kReposPerSlice);
          },
          [this](const Identifier& identifier, AlignmentScope slice) {
            align_slice(identifier, std::move(slice));
          }) {}

void Alignments::align_slice(const Identifier& identifier, AlignmentScope slice) {
  leave_out_others(*hosting_.known(), slice);
  if (slice.ruled_by && slice.repos.empty()) return;
  align(identifier, std::move(slice));
}

void Alignments::align_for(const nostr::Event& event) {
  const std::size_t max = hosting_.options.inline_repos_max;
  for (const Identifier& identifier : groups_of(event)) {
    AlignmentScope scope{.repos = {}, .pulls = {{event.id}}};
    if (event.kind == grasp::kinds::kAnnouncement)
      scope = around(*hosting_.known(), {event.pubkey, identifier}, max);
    else if (event.kind == grasp::kinds::kState)
      scope = around_state(*hosting_.known(), event.pubkey, identifier, max);
    align(identifier, std::move(scope));
  }
}

void Alignments::align(const Coordinate& repository, RefAligner::Proven proven,
                       const std::vector<nostr::EventId>& lost_pulls) {
  auto scope = around(*hosting_.known(), repository, hosting_.options.inline_repos_max);
  for (const nostr::EventId& id : lost_pulls) scope.pulls.push_back({id});
  align(repository.identifier, std::move(scope), std::move(proven));
}

void Alignments::align(const Identifier& identifier, AlignmentScope scope,
                       RefAligner::Proven proven) {
  follow_up(identifier, RefAligner(hosting_, identifier).run(std::move(scope), std::move(proven)));
}

void Alignments::post(const Identifier& identifier) { queue_.post(identifier); }

void Alignments::post_failed(core::Instant now) {
  std::lock_guard lock(failed_mutex_);
  for (const Identifier& identifier : failed_.take_due(now)) queue_.post(identifier);
}

void Alignments::follow_up(const Identifier& identifier, RefAligner::Result result) {
  if (result.unfinished) queue_.post(identifier);
  queue_.post(identifier, std::move(result.repos_left));
  if (result.author_left) queue_.post(identifier, *result.author_left);
  queue_.post(identifier, std::move(result.pulls_left));
  if (result.failed) {
    std::lock_guard lock(failed_mutex_);
    failed_.failed(identifier, net::now().instant);
  }
  std::lock_guard lock(watcher_mutex_);
  for (HostWatcher* watcher : watchers_) watcher->settled(identifier);
}

void Alignments::watch(HostWatcher& watcher) {
  std::lock_guard lock(watcher_mutex_);
  watchers_.push_back(&watcher);
}

void Alignments::unwatch(HostWatcher& watcher) {
  std::lock_guard lock(watcher_mutex_);
  std::erase(watchers_, &watcher);
}

void Alignments::push_failed(const Coordinate& repository) {
  std::lock_guard lock(watcher_mutex_);
  for (HostWatcher* watcher : watchers_) watcher->push_failed(repository);
}

}  // namespace graspd::serve
