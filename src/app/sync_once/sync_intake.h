// Where `graspd sync` passes what it fetches: to the same verification and acceptance as events
// from clients.
//
//   R1  If no server runs, the command opens the database and an intake of its own.
//   R2  If a server runs, events are sent to it as any client sends them, by the relay's owner,
//       whom it does not slow down. It must be the server of this identity.
//   R3  Every submitted event is judged once, unless the intake closes.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/owner_key.h"
#include "app/config/settings.h"
#include "app/sync_once/one_shot_sync.h"
#include "core/result.h"
#include "net/dialer.h"
#include "net/task.h"
#include "relay/acceptance.h"

namespace graspd::app {

class EventIntake {
 public:
  virtual ~EventIntake() = default;

  virtual void submit(nostr::Event event) = 0;
  virtual void hand_over() {}  // now and then: what was submitted should be on its way
  // Waits for some. None: the intake is shut.
  virtual net::Task<std::vector<Judgement>> judgements() = 0;
  virtual void shut() = 0;
};

// R1. The failure is a sentence.
class OwnIntake : public EventIntake {
 public:
  static core::Result<std::unique_ptr<OwnIntake>, std::string> open(const Settings& settings,
                                                                    const OwnerKey& owner,
                                                                    const nostr::RelayUrl& peer,
                                                                    store::EventStore& store);
  virtual const relay::Acceptance& acceptance() const = 0;
};

// R2. Fills `intake`, or returns a sentence that says why not. All outlive the dial.
net::Task<std::string> dial_own_server(net::Dialer* dialer, const Settings* settings,
                                       const OwnerKey* owner, std::unique_ptr<EventIntake>* intake);

// What an OK of our server means; nullopt: it shall be sent again later.
std::optional<nostr::Outcome> outcome_of(bool accepted, std::string_view text);

}  // namespace graspd::app
