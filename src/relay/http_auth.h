// Who sent an HTTP request, proved by an event signed for it (NIP-98).
//
//   R1  The event is of kind 27235, less than a minute off our clock, and names this address (`u`)
//       and method. As with NIP-42, the scheme is ignored: a server behind a proxy cannot know
//       it.
//   R2  The body is covered too: `payload` is its SHA-256.
//   R3  The signature is checked last, because that costs most.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "nostr/draft.h"
#include "nostr/event.h"
#include "nostr/relay_url.h"

namespace graspd::relay {

inline constexpr core::UnixSeconds kHttpAuthToleranceSeconds = 60;

struct HttpCall {
  std::string_view method;
  std::vector<nostr::RelayUrl> addresses;  // what this may be called, as ws:// or wss://
  std::string_view body;
};

// The author, or why there is none: a sentence for whoever sent it.
core::Result<nostr::PublicKey, std::string> http_author(
    std::optional<std::string_view> authorization, const HttpCall& call, core::UnixSeconds now);

// The other side: what is signed, and the header made of it.
nostr::Draft http_auth_draft(std::string_view method, std::string_view url, std::string_view body);
std::string http_auth_header(const nostr::Event& event);

// https://… as wss://…, http://… as ws://…; nullopt for what is neither.
std::optional<nostr::RelayUrl> relay_url_of_http(std::string_view url);
// And back.
std::string http_url_of(const nostr::RelayUrl& url);

}  // namespace graspd::relay
