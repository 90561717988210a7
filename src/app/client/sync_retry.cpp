#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/owner_request.h"
#include "app/database/database.h"

namespace graspd::app {

int retry_relay(const Settings& settings, const SyncRetryOptions& options) {
  const auto relay = nostr::RelayUrl::parse(options.relay);
  if (!relay)
    return fail(fmt::format("{} is no relay's URL; write wss://relay.example.org", options.relay));
  const auto service = service_address(settings, options.url);
  if (!service) return fail(service.error());
  const auto owner = owner_of(settings);
  if (!owner) return fail(owner.error());
  const auto answer =
      post_as_owner(settings, *owner, options.url, "/api/sync/retry", relay->text());
  if (!answer) return fail(answer.error());
  if (answer->status != 200) return fail(said_in(*answer));
  fmt::print("{}\n", for_terminal(said_in(*answer)));
  return 0;
}

}  // namespace graspd::app
