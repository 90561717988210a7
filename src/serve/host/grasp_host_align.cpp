// Which repositories are brought in line at once, and what is left for later.
#include "net/clock.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {
namespace {

// Identifiers whose repositories an event is about.
std::set<grasp::Identifier> groups_of(const nostr::Event& event) {
  std::set<grasp::Identifier> groups;
  if (event.kind == grasp::kinds::kAnnouncement || event.kind == grasp::kinds::kState) {
    if (auto identifier = grasp::Identifier::parse(event.tags.first("d").value_or("")))
      groups.insert(*std::move(identifier));
    return groups;
  }
  for (const grasp::Coordinate& repository : grasp::parse_pull_request(event).repositories)
    groups.insert(repository.identifier);
  return groups;
}

}  // namespace

// Who sent it waits for the repositories it is about.
void GraspHost::align_for(const nostr::Event& event) {
  const std::size_t max = options_.hosting.inline_views_max;
  const bool is_announcement = event.kind == grasp::kinds::kAnnouncement;
  const bool is_state = event.kind == grasp::kinds::kState;
  for (const grasp::Identifier& identifier : groups_of(event)) {
    auto scope = hosting_.ask([&](const grasp::Policy& policy) -> AlignmentScope {
      if (is_announcement) return around(policy, {event.pubkey, identifier}, max);
      if (is_state) return around_state(policy, event.pubkey, identifier, max);
      return {.views = {}, .pulls = {{event.id}}};
    });
    align(identifier, std::move(scope));
  }
}

void GraspHost::align(const grasp::Coordinate& view, RefAligner::Proven proven,
                      const std::vector<nostr::EventId>& lost_pulls) {
  auto scope = hosting_.ask([&](const grasp::Policy& policy) {
    return around(policy, view, options_.hosting.inline_views_max);
  });
  for (const nostr::EventId& id : lost_pulls) scope.pulls.push_back({id});
  align(view.identifier, std::move(scope), std::move(proven));
}

void GraspHost::align(const grasp::Identifier& identifier, AlignmentScope scope,
                      RefAligner::Proven proven) {
  follow_up(identifier, RefAligner(hosting_, identifier).run(std::move(scope), std::move(proven)));
}

void GraspHost::follow_up(const grasp::Identifier& identifier, RefAligner::Result result) {
  if (result.unfinished) result.changes.add(grasp::AlignGroup{identifier});
  alignments_.post(identifier, std::move(result.views_left));
  if (result.author_left) alignments_.post(identifier, *result.author_left);
  alignments_.post(identifier, std::move(result.pulls_left));
  if (result.failed) {
    std::lock_guard lock(touched_mutex_);
    failed_.failed(identifier, net::now().instant);
  }
  write_and_perform(std::move(result.changes));
  std::lock_guard lock(watcher_mutex_);
  for (Watcher* watcher : watchers_) watcher->settled(identifier);
}

}  // namespace graspd::serve
