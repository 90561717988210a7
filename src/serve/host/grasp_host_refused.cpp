// What was refused: who need not send it again, and when it is decided once more.
#include <algorithm>

#include "net/clock.h"
#include "relay/admission.h"
#include "serve/host/grasp_host.h"
#include "serve/host/source_origin.h"

namespace graspd::serve {
namespace {

// Refused events looked at without letting go of the policy: well below a millisecond.
constexpr std::size_t kMatchedAtOnce = 2'048;

// What is dated ahead may come again when its time has come.
grasp::Reason reason_of(relay::Refusal::Why why) {
  switch (why) {
    case relay::Refusal::Why::Never:
      return grasp::Reason::Invalid;
    case relay::Refusal::Why::Expired:
      return grasp::Reason::Expired;
    case relay::Refusal::Why::TooEarly:
      break;
  }
  return grasp::Reason::Passing;
}

}  // namespace

void GraspHost::refused(const nostr::WireEventPtr& event, const relay::Source& source,
                        const relay::Refusal& refusal, store::Changes& changes) {
  const core::UnixSeconds now = net::now().unix_seconds;
  grasp::Transition remembered;
  hosting_.ask([&](grasp::Policy& policy) {
    policy.refused(event, origin_of(source), reason_of(refusal.why), now, remembered);
  });
  hand_over(remembered, changes);
}

// They were refused once, and their senders know: nobody is answered.
void GraspHost::retry(std::vector<grasp::Retry> retries) {
  using Intake = relay::Source::Intake;
  std::vector<Submission> submissions;
  for (grasp::Retry& again : retries) {
    const nostr::WireEvent& wire = *again.event;
    if (hosting_.is_low_on_disk() || !hosting_.ingest->reserve(wire.json.size())) {
      hosting_.ask([&](grasp::Policy& policy) { policy.put_off(wire.event.id); });
      continue;
    }
    relay::Source source{
        again.origin.synced ? Intake::Sync : Intake::Client, {}, std::move(again.origin.relay)};
    submissions.push_back({wire.event, wire.json.size(), std::move(source), {}});
  }
  if (!submissions.empty()) hosting_.ingest->submit(std::move(submissions));
}

bool GraspHost::knows(const nostr::EventId& id) const {
  return hosting_.ask([&](const grasp::Policy& policy) { return policy.knows(id); });
}

std::vector<store::Position> GraspHost::known(const nostr::Filter& filter) const {
  std::vector<store::Position> found;
  for (const nostr::WireEventPtr& wire :
       hosting_.ask([](const grasp::Policy& policy) { return policy.kept_events(); }))
    if (filter.matches(wire->event)) found.push_back({wire->event.created_at, wire->event.id});
  const grasp::DigestFilter digests(filter);
  std::optional<grasp::RejectedIds::Number> from = 0;
  while (from)
    from = hosting_.ask([&](const grasp::Policy& policy) {
      return policy.rejected().match(digests, *from, kMatchedAtOnce, found);
    });
  std::ranges::sort(found, store::comes_before);
  const auto repeats = std::ranges::unique(found);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

void GraspHost::on_wanted_again(WantedAgain callback) {
  std::lock_guard lock(wanted_mutex_);
  wanted_again_ = std::move(callback);
}

void GraspHost::tell_wanted(const WantedIds& wanted) {
  std::lock_guard lock(wanted_mutex_);
  if (!wanted_again_) return;
  for (const auto& [relay, ids] : wanted) wanted_again_(relay, ids);
}

}  // namespace graspd::serve
