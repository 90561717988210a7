#include "grasp/threads.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "grasp/references.h"
#include "nostr/json.h"

namespace graspd::grasp {
namespace {

nostr::Filter events_at(const nostr::Address& address) {
  nostr::Filter filter;
  filter.authors = {{address.pubkey}};
  filter.kinds = {{address.kind}};
  if (nostr::is_addressable(address.kind)) filter.tags = {{'d', {address.identifier}}};
  return filter;
}

nostr::Filter events_called(nostr::Kind kind, const Identifier& identifier) {
  nostr::Filter filter;
  filter.kinds = {{kind}};
  filter.tags = {{'d', {identifier.text()}}};
  return filter;
}

bool is_thread_pull(nostr::Kind kind) {
  return kind == kinds::kPullRequest || kind == kinds::kPullRequestUpdate;
}

class ThreadWalk {
 public:
  ThreadWalk(const store::Snapshot& here, const LiesInPrRepository& lies_in_pr_repository,
             core::UnixSeconds now, const ThreadLimits& limits)
      : here_(here), lies_in_pr_repository_(lies_in_pr_repository), now_(now), limits_(limits) {}

  std::optional<EndedThreads> from(const Departed& gone) {
    std::vector<nostr::EventId> roots;
    std::vector<nostr::Filter> filters = referrers_of(gone.coordinate.announcement_address());
    if (gone.announcement)
      std::ranges::move(referrers_of(*gone.announcement), std::back_inserter(filters));
    visit(std::move(filters), [&](const nostr::Event& event) { roots.push_back(event.id); });
    for (const nostr::EventId& root : roots) {
      is_anchored_ = false;
      reach(root);
      follow();
    }
    end_states(gone.coordinate.identifier);
    if (ended_.events.size() + ended_.states.size() > limits_.ended_max) too_much_ = true;
    if (too_much_) return std::nullopt;
    return std::move(ended_);
  }

 private:
  // One thread.
  void follow() {
    std::vector<nostr::EventId> events;
    std::vector<PullRequest> pulls;
    while (!frontier_.empty() && !too_much_) {
      const auto event = find(frontier_.back());
      frontier_.pop_back();
      if (!event) continue;
      events.push_back(event->id);
      if (is_thread_pull(event->kind)) pulls.push_back(parse_pull_request(*event));
      look_around(*event);
    }
    if (is_anchored_) {
      std::erase_if(pulls, [&](const PullRequest& pull) { return may_stay(pull); });
      events.clear();
      for (const PullRequest& pull : pulls) events.push_back(pull.id);
    }
    std::ranges::move(events, std::back_inserter(ended_.events));
    std::ranges::move(pulls, std::back_inserter(ended_.pulls));
  }

  // R5
  void end_states(const Identifier& identifier) {
    bool is_announced = false;
    visit({events_called(kinds::kAnnouncement, identifier)},
          [&](const nostr::Event&) { is_announced = true; });
    if (is_announced) return;
    visit({events_called(kinds::kState, identifier)}, [&](const nostr::Event& state) {
      ended_.states.push_back({state.id, {state.pubkey, identifier}});
    });
  }

  void look_around(const nostr::Event& event) {
    std::vector<nostr::Filter> filters = referrers_of(event);
    const References out = references_of(event);
    for (const nostr::Address& address : out.addresses) filters.push_back(events_at(address));
    visit(std::move(filters), [&](const nostr::Event& other) { reach(other); });
    for (const nostr::EventId& id : out.ids) reach(id);
  }

  std::optional<nostr::Event> find(const nostr::EventId& id) const {
    const auto json = here_.find_json(id);
    if (!json) return std::nullopt;
    auto event = nostr::JsonReader().event(*json);
    if (!event) return std::nullopt;
    return *std::move(event);
  }

  void reach(const nostr::EventId& id) {
    if (const auto event = find(id)) reach(*event);
  }

  // R1, R2
  void reach(const nostr::Event& event) {
    const bool is_list = event.kind == kinds::kUserGraspList;
    if (event.kind == kinds::kAnnouncement || is_list) is_anchored_ = true;
    if (!can_anchor(event.kind) || event.kind == kinds::kAnnouncement ||
        event.kind == kinds::kState || too_much_)
      return;
    if (is_thread_pull(event.kind) && lies_in_pr_repository_(parse_pull_request(event)))
      is_anchored_ = true;
    if (!seen_.insert(event.id).second) return;
    if (seen_.size() > limits_.events_max) too_much_ = true;
    frontier_.push_back(event.id);
  }

  // R3
  bool may_stay(const PullRequest& pull) {
    const auto is_here = [&](const Coordinate& repository) {
      bool found = false;
      visit({events_at(repository.announcement_address())},
            [&](const nostr::Event&) { found = true; });
      return found;
    };
    return lies_in_pr_repository_(pull) || std::ranges::any_of(pull.repositories, is_here);
  }

  void visit(std::vector<nostr::Filter> filters,
             const std::function<void(const nostr::Event&)>& show) {
    store::Cursor cursor(std::move(filters), std::numeric_limits<store::Serial>::max());
    const auto visitor = [&](const store::Found& one) {
      if (++visited_ > limits_.references_max) too_much_ = true;
      const auto event = nostr::JsonReader().event(one.json);
      if (event && !too_much_) show(*event);
    };
    while (!too_much_) {
      const auto read = here_.read(cursor, {}, now_, visitor);
      if (!read) too_much_ = true;
      if (!read || *read == store::ReadState::Finished) return;
    }
  }

  const store::Snapshot& here_;
  const LiesInPrRepository& lies_in_pr_repository_;
  const core::UnixSeconds now_;
  const ThreadLimits& limits_;
  std::set<nostr::EventId> seen_;
  std::vector<nostr::EventId> frontier_;
  std::size_t visited_ = 0;
  bool is_anchored_ = false, too_much_ = false;
  EndedThreads ended_;
};

}  // namespace

std::optional<EndedThreads> ended_threads(const Departed& gone, const store::Snapshot& here,
                                          const LiesInPrRepository& lies_in_pr_repository,
                                          core::UnixSeconds now, const ThreadLimits& limits) {
  return ThreadWalk(here, lies_in_pr_repository, now, limits).from(gone);
}

}  // namespace graspd::grasp
