#include "app/client/relay_client.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/base/version.h"
#include "app/client/drafts.h"
#include "net/clock.h"
#include "net/dialer.h"
#include "net/dialer_loop.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

// A relay that says nothing for so long while it is asked something will not answer any more.
constexpr core::Duration kSilenceMax{20'000};
// Large enough for every relay's answers.
constexpr std::size_t kMessageBytesMax = 16 * 1024 * 1024;
// A clock that is ahead of ours by more than this is not followed.
constexpr core::UnixSeconds kClockDifferenceMax = 600;

net::DialTarget target_of(const nostr::RelayUrl& relay) {
  return {relay.host(), relay.port(), relay.path(), relay.is_secure()};
}

net::DialOptions options_for(Patience patience) {
  net::DialOptions options;
  options.allow_private_addresses = true;  // whoever types a command may go everywhere
  options.message_bytes_max = kMessageBytesMax;
  options.headers.add("User-Agent", fmt::format("graspd/{}", kVersion));
  if (patience == Patience::Short) options.answer_timeout = kSilenceMax;
  return options;
}

std::string remedy(const net::DialError& error, const nostr::RelayUrl& relay) {
  switch (error.kind) {
    case net::DialFailure::Refused:
      return relay.host() == "127.0.0.1" ? "; start it with graspd serve, or name another relay "
                                           "with --relay"
                                         : "; is the relay running?";
    case net::DialFailure::NotAWebSocket:
      return "; is this the URL of a relay?";
    case net::DialFailure::Tls:
      return "; if the relay has no certificate, write ws:// instead of wss://";
    case net::DialFailure::Name:
      return "; check the spelling of --relay";
    case net::DialFailure::Forbidden:
    case net::DialFailure::TimedOut:
    case net::DialFailure::Failed:
      return "";
  }
  return "";
}

std::string end_of(net::NetError error, const nostr::RelayUrl& relay) {
  switch (error) {
    case net::NetError::Closed:
      return fmt::format("{} closed the connection before it answered", relay.text());
    case net::NetError::TimedOut:
      return fmt::format("{} did not answer in time", relay.text());
    case net::NetError::TooSlow:
      return fmt::format("{} sends too slowly", relay.text());
    case net::NetError::TooBig:
      return fmt::format("{} sent a message that is too large", relay.text());
    case net::NetError::Protocol:
    case net::NetError::Failed:
      break;
  }
  return fmt::format("the connection to {} broke", relay.text());
}

// One talk under way; lives longer than the event loop that runs it.
struct Conversation {
  const nostr::RelayUrl& relay;
  Dialogue& talk;
  Patience patience;
  std::string failure;
};

void hear(Conversation& conversation, net::WebSocket& socket, nostr::JsonReader& reader,
          std::string_view text) {
  const auto message = reader.relay_message(text);
  if (!message) {
    fmt::print(stderr, "graspd: {} said something that cannot be read: {}\n",
               conversation.relay.text(), one_line(message.error()));
    return;
  }
  for (const std::string& word : conversation.talk.hear(*message)) socket.write(word);
}

net::Task<int> converse(Conversation* conversation) {
  const auto dialer = net::make_dialer({});
  const auto socket =
      co_await dialer->dial(target_of(conversation->relay), options_for(conversation->patience));
  if (!socket) {
    conversation->failure = socket.error().text + remedy(socket.error(), conversation->relay);
    co_return 1;
  }
  nostr::JsonReader reader;
  for (const std::string& word : conversation->talk.begin()) (*socket)->write(word);
  while (!conversation->talk.finished()) {
    const auto message = co_await (*socket)->read();
    if (!message) {
      conversation->failure = end_of(message.error(), conversation->relay);
      co_return 1;
    }
    hear(*conversation, **socket, reader, message->text);
  }
  (*socket)->close(net::CloseCode::Normal, "");
  co_return 0;
}

std::string own_version_filter(const nostr::Draft& draft, const nostr::Keypair& keypair) {
  std::string identifier;
  nostr::append_json_string(identifier, draft.tags.first("d").value_or(""));
  return fmt::format(R"({{"kinds":[{}],"authors":["{}"],"#d":[{}],"limit":1}})", draft.kind.value,
                     keypair.public_key().hex(), identifier);
}

}  // namespace

Result<nostr::RelayUrl, std::string> parse_relay(const std::string& text) {
  if (const auto relay = nostr::RelayUrl::parse(text)) return *relay;
  return Failure{fmt::format(
      "--relay {} is no relay's URL; write ws://127.0.0.1:7334 or wss://relay.example.org", text)};
}

Result<core::Done, std::string> hold_dialogue(const nostr::RelayUrl& relay, Dialogue& talk,
                                              Patience patience) {
  Conversation conversation{relay, talk, patience, {}};
  if (net::run_to_end(converse(&conversation)) != 0) return Failure{conversation.failure};
  return core::Done{};
}

AnswerChallenge answer_with(const nostr::Keypair& keypair, const nostr::RelayUrl& relay) {
  return [keypair, relay](const std::string& challenge) -> std::optional<nostr::Event> {
    return signed_event(authentication_draft(relay, challenge), keypair, net::now().unix_seconds);
  };
}

Notice notice_from(const nostr::RelayUrl& relay) {
  return [relay](const std::string& text) {
    fmt::print(stderr, "{} says: {}\n", relay.text(), one_line(text));
  };
}

Result<std::string, std::string> publish_event(const nostr::RelayUrl& relay,
                                               const nostr::Keypair* keypair,
                                               const nostr::Event& event) {
  PublishDialogue talk(event, keypair ? answer_with(*keypair, relay) : AnswerChallenge(),
                       notice_from(relay));
  if (auto held = hold_dialogue(relay, talk, Patience::Short); !held) return Failure{held.error()};
  if (talk.verdict().accepted) return talk.verdict().text;
  return Failure{fmt::format("{} refused it: {}", relay.text(), one_line(talk.verdict().text))};
}

Result<nostr::Event, std::string> next_version(const nostr::RelayUrl& relay,
                                               const nostr::Keypair& keypair, nostr::Draft draft) {
  const core::UnixSeconds now = net::now().unix_seconds;
  core::UnixSeconds newest = 0;
  ReadDialogue talk(
      {own_version_filter(draft, keypair), false,
       [&](const nostr::Event& found) { newest = std::max(newest, found.created_at); }},
      answer_with(keypair, relay), notice_from(relay));
  // A relay that lets nobody read may still take what is written.
  if (auto held = hold_dialogue(relay, talk, Patience::Short); !held) return Failure{held.error()};
  if (newest >= now && newest < now + kClockDifferenceMax) draft.created_at = newest + 1;
  return signed_event(draft, keypair, now);
}

}  // namespace graspd::app
