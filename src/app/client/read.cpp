#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/relay_client.h"
#include "app/database/database.h"
#include "nostr/json.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::app {
namespace {

using core::Failure;

// A line a moment after the event came, also into a pipe.
void print_event(const nostr::Event& event) {
  if (!nostr::id_is_right(event) || !nostr::signature_is_right(event)) {
    fmt::print(stderr, "graspd: left out {}: its id or signature is wrong\n", event.id.hex());
    return;
  }
  fmt::print("{}\n", printed(event));
  std::fflush(stdout);
}

// Reading needs no key. One that is there serves relays that ask for it.
AnswerChallenge answer_if_possible(const ClientOptions& options, const nostr::RelayUrl& relay) {
  const auto keypair = client_key(options.key_file);
  return keypair ? answer_with(*keypair, relay) : AnswerChallenge();
}

}  // namespace

core::Result<std::string, std::string> filter_text(const ReadOptions& options) {
  const auto filter = nostr::JsonReader().filter(options.filter);
  if (!filter) {
    return Failure{
        fmt::format("not a filter: {}; write one such as {{\"kinds\":[30617]}}", filter.error())};
  }
  if (!options.limit) return options.filter;
  if (filter->limit)
    return Failure{std::string("the filter has a limit already; leave out --limit")};
  // It is one object, so its last bracket closes it, and a quote stands in it if it has a member.
  const std::size_t end = options.filter.rfind('}');
  const bool has_members = options.filter.find('"') != std::string::npos;
  return fmt::format("{}{}\"limit\":{}}}", options.filter.substr(0, end), has_members ? "," : "",
                     *options.limit);
}

int read_events(const ReadOptions& options) {
  const auto relay = parse_relay(options.client.relay);
  if (!relay) return fail(relay.error());
  const auto filter = filter_text(options);
  if (!filter) return fail(filter.error());
  if (!options.client.key_file.empty()) {
    if (const auto named = client_key(options.client.key_file); !named) return fail(named.error());
  }
  ReadDialogue talk({*filter, options.follow, print_event},
                    answer_if_possible(options.client, *relay), notice_from(*relay));
  const auto held =
      hold_dialogue(*relay, talk, options.follow ? Patience::Endless : Patience::Short);
  if (!held) return fail(held.error());
  if (talk.verdict().accepted) return 0;
  return fail(
      fmt::format("{} refused the request: {}", relay->text(), one_line(talk.verdict().text)));
}

}  // namespace graspd::app
