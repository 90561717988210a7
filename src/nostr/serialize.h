// Events as bytes: what is hashed, and what goes over the wire.
//
//   R1  The id is the SHA-256 of `[0,pubkey,created_at,kind,tags,content]` with exactly the seven
//       escapes NIP-01 lists; every other character stands for itself.
//   R2  The wire form escapes the remaining control characters too: it must be JSON.
//   R3  Clients that build the hashed text with a JSON library escape those control characters in
//       the id as well (\u0001). Their ids are right by common practice, so both are accepted.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "nostr/event.h"

namespace graspd::nostr {

// {"id":…,"pubkey":…,"created_at":…,"kind":…,"tags":…,"content":…,"sig":…}, no white space.
std::string to_json(const Event& event);
void append_json(std::string& out, const Event& event);

// A JSON string with its quotes, for anything else that goes over the wire.
void append_json_string(std::string& out, std::string_view text);

EventId compute_id(const Event& event);  // R1
bool id_is_right(const Event& event);    // R1 or R3

// to_json(), if id_is_right(): a new event needs both, and they share their largest part.
std::optional<std::string> to_json_if_id_is_right(const Event& event);

}  // namespace graspd::nostr
