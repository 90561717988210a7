// Carries a dialogue to a relay and back. The only part of the client commands that has a socket.
#pragma once
#include <string>

#include "app/client/relay_dialogue.h"
#include "core/result.h"
#include "nostr/draft.h"
#include "nostr/relay_url.h"
#include "nostr/signature.h"

namespace graspd::app {

// What all commands that talk to a relay are told.
struct ClientOptions {
  std::string relay = "ws://127.0.0.1:7334";  // where `graspd serve` listens
  std::string key_file;                       // empty: see client_key.h
};

// The failure is a sentence that says what to write instead.
core::Result<nostr::RelayUrl, std::string> parse_relay(const std::string& text);

enum class Patience { Short, Endless };

// Blocks until the talk is finished. The failure is a sentence for the person.
core::Result<core::Done, std::string> hold_dialogue(const nostr::RelayUrl& relay, Dialogue& talk,
                                                    Patience patience);

AnswerChallenge answer_with(const nostr::Keypair& keypair, const nostr::RelayUrl& relay);
Notice notice_from(const nostr::RelayUrl& relay);  // to standard error

// Sends it. The failure tells why the relay did not take it; else its text, which may be empty.
core::Result<std::string, std::string> publish_event(const nostr::RelayUrl& relay,
                                                     const nostr::Keypair* keypair,
                                                     const nostr::Event& event);

// Signs the next version of an addressable event: newer than the one the relay serves, also when
// both are made within one second.
core::Result<nostr::Event, std::string> next_version(const nostr::RelayUrl& relay,
                                                     const nostr::Keypair& keypair,
                                                     nostr::Draft draft);

}  // namespace graspd::app
