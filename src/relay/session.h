// One client's conversation with the relay: messages and results in, actions out.
//
//   R1  Every EVENT and AUTH is answered by one OK, every REQ by EOSE or CLOSED, every COUNT by
//       COUNT or CLOSED, every NEG-OPEN and NEG-MSG by NEG-MSG or NEG-ERR; every other error is a
//       NOTICE. The connection stays open.
//   R2  Protected events (NIP-70) are accepted only from their authenticated author. The challenge
//       is sent when it is first needed: reading public data should not bother a signer.
//   R3  Rate limits are per connection; an event also counts against the limit of its IP address.
//       No rate limit applies to the relay's owner once authenticated.
//   R4  Error texts use the wording that peers of the reference server react to.
//   R5  On a private service nothing of the above happens before the gate is open (relay/gate.h).
//       From then on the connection belongs to one member and takes no other key.
//
// Not thread-safe. All calls come from the connection's network thread.
#pragma once
#include <optional>
#include <string>

#include "core/time.h"
#include "core/token_bucket.h"
#include "nostr/relay_url.h"
#include "relay/authentication.h"
#include "relay/gate.h"
#include "relay/limits.h"
#include "relay/messages.h"
#include "relay/reconciliations.h"
#include "relay/requests.h"

namespace graspd::relay {

class Session {
 public:
  Session(const Limits& limits, nostr::RelayUrl self, std::string challenge, core::Now now,
          std::optional<nostr::PublicKey> owner = std::nullopt, IsMember is_member = {});
  Session(const Session&) = delete;  // its parts refer to its limits
  Session& operator=(const Session&) = delete;

  Actions step(core::Now now, Input input);
  std::size_t occupied_bytes() const { return requests_.occupied_bytes(); }

 private:
  void on(core::Now, Said&);
  void on(core::Now, SaidNonsense&);
  void on(core::Now, SaidBinary&);
  void on(core::Now, Decided&);
  void on(core::Now, Delivered& in) { requests_.delivered(std::move(in), actions_); }
  void on(core::Now, ReadEnded& in) { requests_.read_ended(in, actions_); }
  void on(core::Now, Counted& in) { requests_.counted(in, actions_); }
  void on(core::Now, QueryFailed& in) { requests_.failed(in, actions_); }
  void on(core::Now now, Reconciled& in) { reconciliations_.reconciled(now, in, actions_); }
  void on(core::Now, ReconciliationRefused& in) { reconciliations_.refused(in, actions_); }
  void on(core::Now, FellBehind&) { requests_.close_all(kFellBehind, actions_); }
  void on(core::Now, Entered&);
  void on(core::Now, MembersChanged&);
  void on(core::Now now, Tick&);

  void hear(core::Now, nostr::client::Publish&, const Said&);
  void hear(core::Now, nostr::client::Authenticate&, const Said&);
  void hear(core::Now, nostr::client::Request&, const Said&);
  void hear(core::Now, nostr::client::Count&, const Said&);
  void hear(core::Now, nostr::client::Close&, const Said&);
  void hear(core::Now, nostr::client::NegOpen&, const Said&);
  void hear(core::Now, nostr::client::NegMessage&, const Said&);
  void hear(core::Now, nostr::client::NegClose&, const Said&);

  std::optional<std::string> refuse_protected(const nostr::Event& event);
  bool is_owner() const { return owner_ && authentication_.knows(*owner_); }
  bool is_waiting() const { return gate_ && !gate_->is_open(); }
  void send_challenge();
  void send(std::string text) { actions_.push_back(Send{std::move(text)}); }

  static constexpr std::string_view kFellBehind =
      "error: live event buffer overflow; resubscribe to recover stored events";

  const Limits limits_;
  const std::optional<nostr::PublicKey> owner_;
  const IsMember is_member_;  // empty: everybody may come
  Authentication authentication_;
  std::optional<Gate> gate_;
  bool challenge_sent_ = false;
  core::TokenBucket events_, queries_, neg_messages_, authentications_;
  Requests requests_;
  Reconciliations reconciliations_;
  Actions actions_;
};

}  // namespace graspd::relay
