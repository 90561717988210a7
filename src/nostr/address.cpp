#include "nostr/address.h"

#include <charconv>
#include <fmt/format.h>

namespace graspd::nostr {
namespace {

std::optional<Kind> parse_kind(std::string_view text) {
  Kind kind;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, kind.value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return kind;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  const auto first = text.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto kind = parse_kind(text.substr(0, first));
  const auto pubkey = PublicKey::from_hex(text.substr(first + 1, second - first - 1));
  if (!kind || !pubkey) return std::nullopt;
  Address address{*kind, *pubkey, std::string(text.substr(second + 1))};
  if (!is_possible(address)) return std::nullopt;
  return address;
}

std::string Address::text() const {
  return fmt::format("{}:{}:{}", kind.value, pubkey.hex(), identifier);
}

bool is_possible(const Address& address) {
  return is_addressable(address.kind) ||
         (is_replaceable(address.kind) && address.identifier.empty());
}

std::optional<Address> address_of(const Event& event) {
  switch (kind_class(event.kind)) {
    case KindClass::Replaceable:
      return Address{event.kind, event.pubkey, {}};
    case KindClass::Addressable:
      return Address{event.kind, event.pubkey, std::string(identifier(event))};
    case KindClass::Regular:
    case KindClass::Ephemeral:
      break;
  }
  return std::nullopt;
}

}  // namespace graspd::nostr
