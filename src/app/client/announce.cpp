#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/relay_client.h"
#include "app/database/database.h"
#include "nostr/nip19.h"

namespace graspd::app {
namespace {

using core::Failure;

void print_next_steps(const AnnouncementRequest& wish, const nostr::RelayUrl& relay,
                      const AnnounceOptions& options) {
  const std::string relay_flag =
      options.client.relay == ClientOptions().relay ? "" : " --relay " + relay.text();
  const std::string key_flag =
      options.client.key_file.empty() ? "" : " --key-file " + options.client.key_file;
  fmt::print(
      "\nNext, in your repository, after each commit you want to publish, sign the commits that\n"
      "its branches and tags point to. The command prints the push that is then allowed:\n"
      "  graspd state {}{}{}\n"
      "Then anybody can clone it:\n"
      "  git clone {}\n",
      wish.identifier.text(), relay_flag, key_flag, wish.clone.front());
}

}  // namespace

core::Result<AnnouncementRequest, std::string> announcement_request(
    const AnnounceOptions& options, const nostr::RelayUrl& relay, const nostr::PublicKey& author) {
  auto identifier = parse_identifier(options.identifier);
  if (!identifier) return Failure{identifier.error()};
  AnnouncementRequest wish{.identifier = *std::move(identifier)};
  wish.name = options.name;
  wish.description = options.description;
  wish.earliest_unique_commit = options.earliest_unique_commit;
  wish.web = options.web;
  wish.topics = options.topics;
  wish.clone = options.clone;
  wish.relays = options.relays;
  if (wish.clone.empty()) wish.clone = {clone_url(relay, {author, wish.identifier})};
  if (wish.relays.empty()) wish.relays = {relay.text()};
  for (const std::string& text : options.maintainers) {
    const auto person = parse_person(text);
    if (!person)
      return Failure{
          fmt::format("--maintainer {} is not a public key; write npub1… or 64 hex digits", text)};
    wish.maintainers.push_back(*person);
  }
  return wish;
}

int announce(const AnnounceOptions& options) {
  const auto relay = parse_relay(options.client.relay);
  if (!relay) return fail(relay.error());
  const auto keypair = client_key(options.client.key_file);
  if (!keypair) return fail(keypair.error());
  const auto wish = announcement_request(options, *relay, keypair->public_key());
  if (!wish) return fail(wish.error());
  const auto event = next_version(*relay, *keypair, announcement_draft(*wish));
  if (!event) return fail(event.error());
  const auto answer = publish_event(*relay, &*keypair, *event);
  if (!answer) return fail(answer.error());
  fmt::print("announced {} as event {}\n", wish->identifier.text(), event->id.hex());
  if (!answer->empty()) fmt::print("{} answered: {}\n", relay->text(), one_line(*answer));
  const grasp::Coordinate repository{keypair->public_key(), wish->identifier};
  if (const auto naddr = nostr::nip19::encode({repository.announcement_address(), {relay->text()}}))
    fmt::print("{}\n", *naddr);
  print_next_steps(*wish, *relay, options);
  return 0;
}

}  // namespace graspd::app
