// Everything a relay says to us when we are its client: NIP-01, 42, 67, 77.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "nostr/event.h"
#include "nostr/message.h"

namespace graspd::nostr {

namespace relay_said {
struct Matching {  // EVENT
  SubscriptionId subscription;
  nostr::Event event;
};
struct Ok {
  EventId id;
  bool accepted = false;
  std::string text;
};
struct EndOfStored {  // EOSE
  SubscriptionId subscription;
  Completeness completeness = Completeness::Unknown;
};
struct Closed {
  SubscriptionId subscription;
  std::string text;
};
struct Notice {
  std::string text;
};
struct Challenge {  // AUTH
  std::string text;
};
struct NegMessage {
  SubscriptionId subscription;
  std::string message;  // binary
};
struct NegError {
  SubscriptionId subscription;
  std::string text;
  std::optional<std::uint64_t> cap;  // how many records it takes, if it says so
};
struct Unknown {  // a type that is not read here
  std::string type;
};
}  // namespace relay_said

using RelayMessage =
    std::variant<relay_said::Matching, relay_said::Ok, relay_said::EndOfStored, relay_said::Closed,
                 relay_said::Notice, relay_said::Challenge, relay_said::NegMessage,
                 relay_said::NegError, relay_said::Unknown>;

// What a client says, as the text of one message.
namespace client_says {
std::string event(std::string_view event_json);
std::string auth(std::string_view event_json);
std::string req(std::string_view subscription, std::string_view filter_json);
std::string req(std::string_view subscription, std::span<const Filter> filters);
std::string close(std::string_view subscription);
std::string neg_open(std::string_view subscription, const Filter& filter, std::string_view binary);
std::string neg_message(std::string_view subscription, std::string_view binary);
std::string neg_close(std::string_view subscription);
}  // namespace client_says

}  // namespace graspd::nostr
