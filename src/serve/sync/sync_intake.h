// Where events from peers enter the ingest: known ids are dropped first, and one copy of an event
// is verified at a time.
//
//   R1  An id is known when the event is stored, held or rejected here, never because somebody
//       claims it.
//   R2  If several copies of an event arrive together, one is verified. If it is forged, the next
//       is tried: a forged copy cannot shadow the genuine one.
//   R3  Every arrival is judged once: at once by the return value, or later by the callback.
//
// Not thread-safe: lives on the sync thread.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "serve/relay/ingest.h"
#include "sync/messages.h"

namespace graspd::serve {

struct Arrival {
  sync::RelayId relay;
  sync::Session session;
  sync::Sub sub;
  nostr::Event event;
  std::size_t bytes = 0;
  std::shared_ptr<const nostr::RelayUrl> from;
};

// What is remembered of an arrival while its event is on the way.
struct Ticket {
  sync::RelayId relay;
  sync::Session session;
  sync::Sub sub;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  std::size_t bytes = 0;
};

class SyncIntake {
 public:
  static constexpr std::size_t kThread = std::numeric_limits<std::size_t>::max();
  struct World {
    Ingest& ingest;
    const store::EventStore& store;
    const relay::Acceptance& acceptance;
    std::function<void(std::function<void()>)> later;  // on this thread, after what is at hand
    std::function<void(const Ticket&, nostr::Outcome)> judged;
  };
  explicit SyncIntake(World world) : world_(std::move(world)) {}

  bool knows(const nostr::EventId& id) const;
  std::optional<nostr::Outcome> arrive(Arrival arrival);
  void decided(const Decision& decision);

 private:
  struct Copy {
    Ticket ticket;
    nostr::Event event;
    std::shared_ptr<const nostr::RelayUrl> from;
  };
  void submit(Copy& copy);  // takes the event out of it
  void hand_over(std::size_t seen);

  World world_;
  std::map<nostr::EventId, std::deque<Copy>> on_the_way_;  // the first is being verified
  std::vector<Submission> outbox_;
};

}  // namespace graspd::serve
