#include "serve/host/ref_aligner.h"

#include <algorithm>

namespace graspd::serve {

RefAligner::Result RefAligner::run(AlignmentScope scope, Proven proven) {
  context_.scope = std::move(scope);
  context_.proven = std::move(proven);
  context_.has_news = !context_.scope.state_of;
  // Each round may serve announcements on which the next depends; every round releases something.
  // Pull requests come when no state is left to be served (R2, R9).
  while (true) {
    states_.align();
    if (release()) continue;
    pulls_.align();
    if (!release()) break;
  }
  if (!context_.scope.patient && !context_.scope.repos.empty()) look_for_more();
  return std::move(context_.result);
}

// R10
void RefAligner::look_for_more() {
  Result& result = context_.result;
  if (result.unfinished) return;
  const auto is_asked = [&](const grasp::Coordinate& repo) { return context_.is_asked_for(repo); };
  const auto& author = context_.scope.state_of;
  const auto known = context_.hosting.known();
  const grasp::Catalog& catalog = known->catalog();
  if (context_.has_news) {
    result.unfinished = !std::ranges::all_of(catalog.repos(context_.identifier), is_asked);
  } else if (auto ruled = catalog.all_repos_ruled_by(*author, context_.identifier)) {
    result.repos_left = *std::move(ruled);
    std::erase_if(result.repos_left, is_asked);
  } else {
    result.author_left = author;
  }
}

// R2. Announcements come first: what follows hangs on them.
bool RefAligner::release() {
  auto events = std::exchange(context_.released, {});
  const auto uploads = std::exchange(context_.used_uploads, {});
  if (events.empty() && uploads.empty()) return false;
  const auto others = std::ranges::stable_partition(events, [](const nostr::WireEventPtr& wire) {
    return wire->event.kind == grasp::kinds::kAnnouncement;
  });
  context_.has_news |= others.size() < events.size();
  const bool durable = context_.hosting.policy.release(
      events, [&](grasp::Policy& policy, core::UnixSeconds, grasp::Transition& changes) {
        for (const std::string& token : uploads) policy.purgatory().drop_upload(token, changes);
      });
  context_.result.failed |= !durable;
  return durable && !events.empty();
}

}  // namespace graspd::serve
