// Events for the simulated world: real ones in shape, with made-up ids and no signatures.
#pragma once
#include <string>
#include <vector>

#include "nostr/address.h"
#include "nostr/event.h"
#include "nostr/relay_url.h"

namespace graspd::sim {

inline constexpr char kOurUrl[] = "wss://us.example";
inline constexpr core::UnixSeconds kWorldBegins = 1'790'000'000;

inline nostr::RelayUrl url(std::string_view text) { return *nostr::RelayUrl::parse(text); }
inline nostr::RelayUrl relay_url(std::uint64_t number) {
  return url("wss://r" + std::to_string(number) + ".example");
}

nostr::EventId event_id(std::uint64_t number);
nostr::Address repo_address(std::uint64_t number);

// `number` becomes the id; numbers must not repeat.
nostr::Event announcement(std::uint64_t number, std::uint64_t repo,
                          const std::vector<nostr::RelayUrl>& relays, core::UnixSeconds at,
                          bool lists_us = true);
nostr::Event state(std::uint64_t number, std::uint64_t repo, core::UnixSeconds at);
nostr::Event issue(std::uint64_t number, std::uint64_t repo, core::UnixSeconds at);
// A comment that names its parent with this tag: a, A, q for repositories; e, E, q for threads.
nostr::Event comment(std::uint64_t number, std::string_view tag, std::string_view value,
                     core::UnixSeconds at);

}  // namespace graspd::sim
