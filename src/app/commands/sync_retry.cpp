#include "app/commands/sync_retry.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/commands/database.h"
#include "app/commands/drafts.h"
#include "app/commands/service_client.h"
#include "app/wiring.h"
#include "net/clock.h"
#include "relay/http_auth.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

constexpr std::string_view kPath = "/api/sync/retry";

Result<OwnerKey, std::string> owner_of(const Settings& settings) {
  auto found = find_owner_key(owner_places(settings));
  if (!found) return Failure{std::move(found).error()};
  if (*found) return **std::move(found);
  return Failure{
      std::string("the relay's key was not found; run this where graspd serve runs, or set "
                  "NGIT_OWNER_NSEC_FILE")};
}

// A server goes by its public name, whatever address it is reached at from here.
std::string signed_url(const Settings& settings, const SyncRetryOptions& options,
                       const ServiceAddress& service) {
  return http_url(options.url.empty() ? service_url(settings, settings.bind_port) : service, kPath);
}

// The first line, if this is our own text and no page of somebody else.
std::string said_in(const http::Response& answer) {
  const auto type = answer.headers.get("Content-Type").value_or("");
  if (!type.starts_with("text/plain")) return fmt::format("HTTP {}", answer.status);
  return answer.body.substr(0, answer.body.find('\n'));
}

}  // namespace

int retry_relay(const Settings& settings, const SyncRetryOptions& options) {
  const auto relay = nostr::RelayUrl::parse(options.relay);
  if (!relay)
    return fail(fmt::format("{} is no relay's URL; write wss://relay.example.org", options.relay));
  const auto service = service_address(settings, options.url);
  if (!service) return fail(service.error());
  const auto owner = owner_of(settings);
  if (!owner) return fail(owner.error());

  const std::string url = signed_url(settings, options, *service);
  const auto draft = relay::http_auth_draft("POST", url, relay->text());
  const auto proof = signed_event(draft, owner->keypair, net::now().unix_seconds);
  http::Headers headers;
  headers.add("Authorization", relay::http_auth_header(proof));
  headers.add("Content-Type", "text/plain");
  const auto answer = post(*service, kPath, std::move(headers), relay->text());
  if (!answer) return fail(for_terminal(answer.error()));
  if (answer->status != 200) return fail(for_terminal(said_in(*answer)));
  fmt::print("{}\n", for_terminal(said_in(*answer)));
  return 0;
}

}  // namespace graspd::app
