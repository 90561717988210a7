#include "serve/sync/sync_retry.h"

#include <fmt/format.h>

#include "relay/http_auth.h"

namespace graspd::serve {

http::Response retry_response(const SyncRetryOptions& options, const http::Request& request,
                              core::UnixSeconds now) {
  const relay::HttpCall call{"POST", options.addresses, request.body};
  const auto author = relay::http_author(request.headers.get("Authorization"), call, now);
  if (!author) {
    auto refusal = http::text_response(401, fmt::format("not authorised: {}\n", author.error()));
    refusal.headers.add("WWW-Authenticate", "Nostr");
    return refusal;
  }
  if (*author != options.owner)
    return http::text_response(403, "not authorised: this is signed by somebody else's key\n");
  const auto url = nostr::RelayUrl::parse(request.body);
  if (!url) return http::text_response(400, "the body must be the URL of a relay\n");
  if (!options.retry(*url))
    return http::text_response(404, fmt::format("not followed: {}\n", url->text()));
  return http::text_response(200, fmt::format("done: {} is tried now\n", url->text()));
}

}  // namespace graspd::serve
