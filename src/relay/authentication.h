// Who a client has proved to be (NIP-42).
#pragma once
#include <set>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "nostr/event.h"
#include "nostr/relay_url.h"

namespace graspd::relay {

class Authentication {
 public:
  // Enough for anyone who really has several keys; a bound for everyone else.
  static constexpr std::size_t kKeysMax = 64;
  // NIP-42: "close to the current time, e.g. within ~10 minutes".
  static constexpr core::UnixSeconds kClockToleranceSeconds = 600;

  Authentication(nostr::RelayUrl self, std::string challenge,
                 core::UnixSeconds tolerance = kClockToleranceSeconds)
      : self_(std::move(self)), challenge_(std::move(challenge)), tolerance_(tolerance) {}

  const std::string& challenge() const { return challenge_; }
  bool knows(const nostr::PublicKey& key) const { return keys_.contains(key); }
  bool knows_anyone() const { return !keys_.empty(); }

  // Takes the author's word if the event is a right answer to our challenge; else says why not.
  core::Result<core::Done, std::string> accept(const nostr::Event& event, core::UnixSeconds now);

 private:
  nostr::RelayUrl self_;
  std::string challenge_;
  core::UnixSeconds tolerance_;
  std::set<nostr::PublicKey> keys_;
};

}  // namespace graspd::relay
