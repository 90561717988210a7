// What a relay says of itself (NIP-11), as far as its clients need it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graspd::nostr {

struct RelayInformation {
  std::string software, pubkey;                    // as written
  std::optional<std::vector<int>> supported_nips;  // nullopt: it does not say
  std::vector<std::string> supported_grasps;
  std::optional<std::uint64_t> max_subscriptions, max_filters, max_message_length, max_limit;

  bool operator==(const RelayInformation&) const = default;
};

}  // namespace graspd::nostr
