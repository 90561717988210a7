#include <cstdio>
#include <fmt/format.h>
#include <optional>

#include "app/base/standard_input.h"
#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/drafts.h"
#include "app/client/relay_client.h"
#include "app/database/database.h"
#include "net/clock.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

int send(const PublishOptions& options, const nostr::RelayUrl& relay, const std::string& json) {
  std::optional<nostr::Keypair> keypair;
  if (options.sign || !options.client.key_file.empty()) {
    auto loaded = client_key(options.client.key_file);
    if (!loaded) return fail(loaded.error());
    keypair = *std::move(loaded);
  }
  const auto event =
      options.sign ? event_signed_by(*keypair, json, net::now().unix_seconds) : checked_event(json);
  if (!event) return fail(event.error());
  const auto answer = publish_event(relay, keypair ? &*keypair : nullptr, *event);
  if (!answer) return fail(answer.error());
  fmt::print("{}\n", printed(*event));
  if (!answer->empty()) fmt::print(stderr, "{} answered: {}\n", relay.text(), one_line(*answer));
  return 0;
}

}  // namespace

Result<nostr::Event, std::string> checked_event(const std::string& json) {
  auto event = nostr::JsonReader().event(json);
  if (!event) {
    return Failure{fmt::format(
        "not a complete event: {}; --sign fills in id, key, time and signature", event.error())};
  }
  if (!nostr::id_is_right(*event) || !nostr::signature_is_right(*event))
    return Failure{
        std::string("the id or the signature of this event is wrong; --sign creates both")};
  return event;
}

Result<nostr::Event, std::string> event_signed_by(const nostr::Keypair& keypair,
                                                  const std::string& json, core::UnixSeconds now) {
  const auto draft = nostr::JsonReader().draft(json);
  if (!draft) {
    return Failure{
        fmt::format("not an event: {}; write at least {{\"kind\":1,\"tags\":[],\"content\":\"…\"}}",
                    draft.error())};
  }
  if (draft->pubkey && *draft->pubkey != keypair.public_key())
    return Failure{std::string("this event names another author than your key; remove its pubkey")};
  return signed_event(*draft, keypair, now);
}

int publish_any(const PublishOptions& options) {
  const auto relay = parse_relay(options.client.relay);
  if (!relay) return fail(relay.error());
  const auto json = read_standard_input();
  if (!json) return fail(json.error());
  return send(options, *relay, *json);
}

}  // namespace graspd::app
