// The relays on which a repository is followed (sync.md §3): those of its `relays` tag, and the
// origin of every clone URL of the form .../<npub1...>/<name>.git, because a GRASP server is a
// relay too.
//
//   R1  Nothing else is a target: a clone URL at github.com is no relay.
//   R2  Our own URLs are never targets. URLs that do not parse are ignored and counted.
//   R3  At most kRelaysPerRepoMax; the first ones count, `relays` before `clone`.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nostr/relay_url.h"

namespace graspd::sync {

// An announcement is written by a stranger; nobody needs more relays than this.
inline constexpr std::size_t kRelaysPerRepoMax = 100;

struct TargetUrls {
  std::vector<nostr::RelayUrl> urls;  // sorted, unique
  std::size_t ignored = 0;            // did not parse, or were too many
};

TargetUrls target_urls(const std::vector<std::string>& relays,
                       const std::vector<std::string>& clones,
                       const std::vector<nostr::RelayUrl>& own);

bool is_own(const nostr::RelayUrl& url, const std::vector<nostr::RelayUrl>& own);

// wss://host[:port][/base] for https://host[:port][/base]/npub1.../name.git; else nullopt.
std::optional<nostr::RelayUrl> relay_of_clone(std::string_view clone);

}  // namespace graspd::sync
