// Everything a client and a relay may say to each other: NIP-01, 42, 45, 67, 77.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nostr/event.h"
#include "nostr/filter.h"

namespace graspd::nostr {

// A client's own name for a subscription: any text, compared byte by byte.
using SubscriptionId = std::string;

namespace client {
struct Publish {  // EVENT
  Event event;
};
struct Request {  // REQ
  SubscriptionId subscription;
  std::vector<Filter> filters;
};
struct Close {
  SubscriptionId subscription;
};
struct Authenticate {  // AUTH
  Event event;
};
struct Count {
  SubscriptionId subscription;
  std::vector<Filter> filters;
  // NIP-45: where the pubkey is read for HyperLogLog; known when the filter is eligible.
  std::optional<std::uint8_t> hll_offset;
};
struct NegOpen {
  SubscriptionId subscription;
  Filter filter;
  std::string message;  // binary
};
struct NegMessage {
  SubscriptionId subscription;
  std::string message;  // binary
};
struct NegClose {
  SubscriptionId subscription;
};
}  // namespace client

using ClientMessage =
    std::variant<client::Publish, client::Request, client::Close, client::Authenticate,
                 client::Count, client::NegOpen, client::NegMessage, client::NegClose>;

// Why a message was refused, and whom to tell: a malformed EVENT or AUTH with a readable event id
// gets an OK, a malformed REQ or COUNT with a readable subscription id a CLOSED, such a NEG-OPEN or
// NEG-MSG a NEG-ERR, the rest a NOTICE.
struct BadMessage {
  enum class Reply { Notice, Ok, Closed, NegErr };
  Reply reply = Reply::Notice;
  std::string about;   // event id as written, or subscription id; empty for a NOTICE
  std::string reason;  // "invalid: …", without the message itself
};

enum class Completeness { Unknown, Finished, More };  // NIP-67

// What a relay says, as the text of one message.
namespace relay_says {
std::string event(std::string_view subscription, std::string_view event_json);
void append_event(std::string& out, std::string_view subscription, std::string_view event_json);
std::string ok(const EventId& id, bool accepted, std::string_view text);
std::string ok(std::string_view id_as_written, bool accepted, std::string_view text);
std::string eose(std::string_view subscription, Completeness completeness);
std::string closed(std::string_view subscription, std::string_view text);
std::string notice(std::string_view text);
std::string auth(std::string_view challenge);
std::string count(std::string_view subscription, std::uint64_t count,
                  std::string_view hll_hex);  // hll left out when empty
std::string neg_message(std::string_view subscription, std::string_view binary);
std::string neg_error(std::string_view subscription, std::string_view text,
                      std::optional<std::uint64_t> cap);
}  // namespace relay_says

}  // namespace graspd::nostr
