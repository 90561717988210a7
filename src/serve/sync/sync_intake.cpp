#include "serve/sync/sync_intake.h"

#include <utility>

namespace graspd::serve {
namespace {

// Events that go to the verifiers together.
constexpr std::size_t kBatchMax = 256;

}  // namespace

bool SyncIntake::knows(const nostr::EventId& id) const {
  const auto snapshot = world_.store.snapshot();
  return (snapshot && (*snapshot)->contains(id)) || world_.acceptance.knows(id);
}

std::optional<nostr::Outcome> SyncIntake::arrive(Arrival arrival) {
  const nostr::EventId id = arrival.event.id;
  if (knows(id)) return nostr::Outcome::Known;
  if (!world_.ingest.reserve(arrival.bytes)) return nostr::Outcome::Failed;
  std::deque<Copy>& copies = on_the_way_[id];
  Ticket ticket{arrival.relay, arrival.session, arrival.sub, id, arrival.event.created_at,
                arrival.bytes};
  copies.push_back({ticket, std::move(arrival.event), std::move(arrival.from)});
  if (copies.size() == 1) submit(copies.front());
  return std::nullopt;
}

void SyncIntake::submit(Copy& copy) {
  if (outbox_.empty()) world_.later([this] { hand_over(0); });
  relay::Source source{relay::Source::Intake::Sync, {}, std::move(copy.from)};
  outbox_.push_back({std::move(copy.event), copy.ticket.bytes, std::move(source), {kThread, 0}});
}

// While every turn of the loop brings more, they travel together; a lone event waits one turn.
void SyncIntake::hand_over(std::size_t seen) {
  const std::size_t now = outbox_.size();
  if (now > seen && now < kBatchMax) return world_.later([this, now] { hand_over(now); });
  world_.ingest.submit(std::exchange(outbox_, {}));
}

void SyncIntake::decided(const Decision& decision) {
  const auto at = on_the_way_.find(decision.id);
  if (at == on_the_way_.end()) return;
  std::deque<Copy> copies = std::move(at->second);
  on_the_way_.erase(at);
  const Copy first = std::move(copies.front());
  copies.pop_front();
  const bool next_is_tried = decision.outcome == nostr::Outcome::Forged && !copies.empty();  // R2
  if (next_is_tried) {
    submit(copies.front());
    on_the_way_[decision.id] = std::move(copies);
    return world_.judged(first.ticket, decision.outcome);
  }
  world_.judged(first.ticket, decision.outcome);
  const bool is_missing =
      decision.outcome == nostr::Outcome::Failed || decision.outcome == nostr::Outcome::Postponed;
  const auto of_copies = is_missing ? decision.outcome : nostr::Outcome::Known;
  for (const Copy& copy : copies) {
    world_.ingest.release(copy.ticket.bytes);
    world_.judged(copy.ticket, of_copies);
  }
}

}  // namespace graspd::serve
