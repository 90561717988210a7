// The operator wants repositories verified now: POST /api/verify, again until nothing is waiting.
//
//   R1  Signed by the relay's own key (NIP-98); everybody else is told that this is not theirs.
//   R2  The body is lines, each a name and a value: `repository /npub1…/name.git` (none: all of
//       them), and from the second time on `number` and `cursor` as the answer before gave them.
//   R3  The answer is lines too: `number`, `cursor`, `waiting`, and for each repository that was
//       looked at meanwhile `ok`, `nothing` (to look at) or `broken`, its path, and what is wrong.
#pragma once
#include <functional>
#include <vector>

#include "core/time.h"
#include "grasp/verification.h"
#include "http/message.h"
#include "nostr/keys.h"
#include "nostr/relay_url.h"

namespace graspd::serve {

struct VerifyRequestOptions {
  nostr::PublicKey owner;
  std::vector<nostr::RelayUrl> addresses;  // of /api/verify, as ws:// or wss://
  // As in grasp::Verifications.
  std::function<std::optional<std::uint64_t>(const std::optional<grasp::Coordinate>& view)> ask;
  std::function<grasp::VerificationAnswers(std::uint64_t number, std::uint64_t cursor,
                                           const std::optional<grasp::Coordinate>& view)>
      answers;
};

http::Response verify_response(const VerifyRequestOptions& options, const http::Request& request,
                               core::UnixSeconds now);

}  // namespace graspd::serve
