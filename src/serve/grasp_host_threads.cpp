// The end of what hung on a repository.
#include <algorithm>
#include <span>

#include "core/log.h"
#include "grasp/threads.h"
#include "net/clock.h"
#include "serve/grasp_host.h"

namespace graspd::serve {
namespace {

// In one transaction: others write too.
constexpr std::size_t kEndedAtOnce = 256;

// No snapshot is held while they go.
std::optional<grasp::EndedThreads> ended_now(const store::EventStore& store,
                                             const grasp::Coordinate& gone,
                                             const grasp::LiesInTray& lies_in_tray) {
  const auto here = store.snapshot();
  if (!here) return std::nullopt;
  return grasp::ended_threads(gone, **here, lies_in_tray, net::now().unix_seconds);
}

}  // namespace

void GraspHost::end_threads(const grasp::Coordinate& gone) {
  const auto is_back = [&] {
    return hosting_.ask(
        [&](const grasp::Policy& policy) { return policy.catalog().find(gone) != nullptr; });
  };
  if (is_back()) return;
  const auto lies_in_tray = [&](const grasp::PullRequest& pull) {
    return hosting_.ask(
        [&](const grasp::Policy& policy) { return !policy.trays_of(pull).empty(); });
  };
  const auto ended = ended_now(store_, gone, lies_in_tray);
  if (!ended) {
    core::log::warn("what hung on the repository {} is too much to go with it", gone.path());
    return;
  }
  for (std::size_t at = 0; at < ended->events.size() && !is_back(); at += kEndedAtOnce) {
    const auto some = std::span(ended->events).subspan(at);
    const auto now = some.first(std::min(some.size(), kEndedAtOnce));
    if (!hosting_.admit({}, {{}, {now.begin(), now.end()}})) return;
  }
  if (is_back()) return;
  grasp::Changes changes;
  for (const grasp::PullRequest& pull : ended->pulls) grasp::lose_pull(pull, changes);
  perform(std::move(changes));
}

}  // namespace graspd::serve
