// Whether an event is taken in. One decision for every event, from whatever door it comes.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "core/ip_address.h"
#include "nostr/event.h"

namespace graspd::relay {

// Where an event comes from. Sync will add its own door.
struct Source {
  enum class Door { Client, Import };
  Door door = Door::Client;
  core::IpAddress client;
};

struct Accept {};
// Kept elsewhere until something it needs arrives; the sender is told why it is not served yet.
struct Hold {
  std::string text;
};
struct Reject {
  std::string text;  // with its machine-readable prefix: "blocked: …"
};
using Verdict = std::variant<Accept, Hold, Reject>;

// Asked for verified events only, from one thread at a time.
class Acceptance {
 public:
  virtual ~Acceptance() = default;
  virtual Verdict decide(const nostr::Event& event, const Source& source) = 0;
};

// NGIT_ACCEPT=open: any valid event, for a plain relay.
class OpenAcceptance : public Acceptance {
 public:
  Verdict decide(const nostr::Event&, const Source&) override { return Accept{}; }
};

}  // namespace graspd::relay
