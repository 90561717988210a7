// The whole contract between one client's session and the world: its inputs and its actions.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "negentropy/item_set.h"
#include "nostr/message.h"
#include "nostr/wire_event.h"
#include "relay/subscriptions.h"
#include "store/quota.h"

namespace graspd::relay {

// Names one use of a subscription id: when a client uses the id again, it is another handle, so
// a late answer to the old one cannot be taken for the new.
using Handle = std::uint64_t;

struct Said {
  nostr::ClientMessage message;
  std::size_t bytes = 0;                 // of its text
  bool address_over_event_rate = false;  // the client's IP address has used up its share
  // Memory that the address may still take for what it asks to be kept.
  std::size_t space = std::numeric_limits<std::size_t>::max();
};
struct SaidNonsense {
  nostr::BadMessage problem;
};
struct SaidBinary {};
struct Decided {  // about a Submit
  nostr::EventId id;
  bool accepted = false;
  std::string text;
};
struct Delivered {  // a new event that a subscription asked for
  Handle subscription = 0;
  nostr::WireEventPtr event;
  std::uint64_t batch = 0;  // of the announcement it came with
};
struct ReadEnded {  // all stored events of a Read have been sent
  Handle subscription = 0;
  nostr::Completeness completeness = nostr::Completeness::Unknown;
};
struct Counted {
  Handle query = 0;
  std::uint64_t count = 0;
  std::string hll_hex;
};
struct QueryFailed {  // Read or Count
  Handle query = 0;
  std::string reason;
};
struct Reconciled {
  Handle reconciliation = 0;
  std::string message;  // binary, for the client
};
struct ReconciliationRefused {
  Handle reconciliation = 0;
  std::string reason;
  std::optional<std::uint64_t> cap;
};
struct FellBehind {};  // the client does not read what is sent
struct Tick {};
struct Entered {};         // the connection begins; only a private service needs to hear it
struct MembersChanged {};  // of a private service
using Input = std::variant<Said, SaidNonsense, SaidBinary, Decided, Delivered, ReadEnded, Counted,
                           QueryFailed, Reconciled, ReconciliationRefused, FellBehind, Tick,
                           Entered, MembersChanged>;

struct Send {
  std::string text;
};
struct Submit {
  nostr::Event event;
  std::size_t bytes = 0;
};
struct Listen {  // deliver what is stored from now on
  Handle subscription = 0;
  Filters filters;
};
struct Unlisten {
  Handle subscription = 0;
};
struct Read {  // send what was stored when Listen was asked for
  Handle subscription = 0;
  nostr::SubscriptionId name;
  Filters filters;
  std::vector<store::Quota> quotas;  // of the filters
};
struct Count {
  Handle query = 0;
  Filters filters;
  std::optional<std::uint8_t> hll_offset;
};
struct CancelQuery {  // Read or Count
  Handle query = 0;
};
struct OpenReconciliation {
  Handle reconciliation = 0;
  nostr::Filter filter;
  std::string message;
};
struct ContinueReconciliation {
  Handle reconciliation = 0;
  std::string message;
};
struct EndReconciliation {
  Handle reconciliation = 0;
};
struct Opened {};  // the client is a member of this private service: the usual limits apply
struct End {       // of the connection
  enum class Unsent { Sent, Dropped };
  std::string reason;
  Unsent unsent = Unsent::Sent;
};
using Action =
    std::variant<Send, Submit, Listen, Unlisten, Read, Count, CancelQuery, OpenReconciliation,
                 ContinueReconciliation, EndReconciliation, Opened, End>;
using Actions = std::vector<Action>;

}  // namespace graspd::relay
