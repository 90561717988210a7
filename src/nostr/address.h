// What replaceable and addressable events are replaced by: `kind:pubkey:d`.
//
//   R1  The identifier may hold anything, also ':'; only the first two colons separate.
//   R2  A replaceable event has the address `kind:pubkey:` with an empty identifier.
//   R3  Events of other kinds have no address; a text that gives them one is refused, as is a
//       kind written with leading zeros: one address, one spelling.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "nostr/event.h"

namespace graspd::nostr {

struct Address {
  Kind kind;
  PublicKey pubkey;
  std::string identifier;

  static std::optional<Address> parse(std::string_view text);
  std::string text() const;

  std::strong_ordering operator<=>(const Address&) const = default;
  bool operator==(const Address&) const = default;
};

// R2, R3: can an event have this address?
bool is_possible(const Address& address);

// The address of a replaceable or addressable event; nullopt for the others.
std::optional<Address> address_of(const Event& event);

}  // namespace graspd::nostr
