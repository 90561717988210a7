#include "relay/http_auth.h"

#include <algorithm>
#include <cstdlib>

#include "core/base64.h"
#include "core/hex.h"
#include "core/sha256.h"
#include "nostr/json.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::relay {
namespace {

using core::Failure;

constexpr std::string_view kScheme = "Nostr ";
constexpr std::size_t kHeaderBytesMax = 8 * 1024;

core::Result<nostr::Event, std::string> read(std::optional<std::string_view> authorization) {
  if (!authorization || !authorization->starts_with(kScheme))
    return Failure{std::string("the request is not signed: Authorization: Nostr … is missing")};
  if (authorization->size() > kHeaderBytesMax)
    return Failure{std::string("the signed event is too large")};
  const auto text = core::decode_base64(authorization->substr(kScheme.size()));
  if (!text) return Failure{std::string("the signed event is not in base64")};
  return nostr::JsonReader().event(*text);
}

bool names_address(const nostr::Event& event, const std::vector<nostr::RelayUrl>& addresses) {
  const auto named = relay_url_of_http(event.tags.first("u").value_or(""));
  return named && std::any_of(addresses.begin(), addresses.end(), [&](const auto& address) {
           return nostr::names_same_relay(*named, address);
         });
}

std::string payload_of(std::string_view body) { return core::encode_hex(core::sha256(body)); }

std::optional<std::string> mistake_in(const nostr::Event& event, const HttpCall& call,
                                      core::UnixSeconds now) {
  if (event.kind != nostr::kinds::kHttpAuth) return "the event must be of kind 27235";
  if (std::abs(now - event.created_at) > kHttpAuthToleranceSeconds)
    return "created_at is more than a minute off; check the clock";
  if (event.tags.first("method") != call.method) return "the method tag is not of this request";
  if (!names_address(event, call.addresses)) return "the u tag does not name this address";
  if (!call.body.empty() && event.tags.first("payload") != payload_of(call.body))
    return "the payload tag is not the SHA-256 of the body";
  if (!nostr::id_is_right(event)) return "the event id does not match its content";
  if (!nostr::signature_is_right(event)) return "the signature is wrong";
  return std::nullopt;
}

}  // namespace

core::Result<nostr::PublicKey, std::string> http_author(
    std::optional<std::string_view> authorization, const HttpCall& call, core::UnixSeconds now) {
  const auto event = read(authorization);
  if (!event) return Failure{event.error()};
  if (auto mistake = mistake_in(*event, call, now)) return Failure{*std::move(mistake)};
  return event->pubkey;
}

nostr::Draft http_auth_draft(std::string_view method, std::string_view url, std::string_view body) {
  nostr::Draft draft;
  draft.kind = nostr::kinds::kHttpAuth;
  draft.tags = {{"u", url}, {"method", method}};
  if (!body.empty()) {
    draft.tags.begin_row();
    draft.tags.append("payload");
    draft.tags.append(payload_of(body));
  }
  return draft;
}

std::string http_auth_header(const nostr::Event& event) {
  return std::string(kScheme) + core::encode_base64(nostr::to_json(event));
}

std::optional<nostr::RelayUrl> relay_url_of_http(std::string_view url) {
  constexpr std::string_view kHttp = "http";
  if (!url.starts_with("http://") && !url.starts_with("https://")) return std::nullopt;
  return nostr::RelayUrl::parse("ws" + std::string(url.substr(kHttp.size())));
}

std::string http_url_of(const nostr::RelayUrl& url) { return "http" + url.text().substr(2); }

}  // namespace graspd::relay
