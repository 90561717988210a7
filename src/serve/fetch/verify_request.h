// The operator requests a verification: POST /api/verify, repeated until nothing is waiting.
//
//   R1  The request must be signed by the relay's own key (NIP-98); any other key is rejected.
//   R2  The body has lines of a name and a value: `repository /npub1…/name.git` (without it, all
//       repositories), and from the second request on `number` and `cursor` from the previous
//       answer.
//   R3  The answer has lines too: `number`, `cursor`, `waiting`, and for each repository verified
//       meanwhile `ok`, `nothing` (to verify) or `broken`, with its path and the problem.
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
  std::function<std::optional<std::uint64_t>(const std::optional<grasp::Coordinate>& coordinate)>
      ask;
  std::function<grasp::VerificationAnswers(std::uint64_t number, std::uint64_t cursor,
                                           const std::optional<grasp::Coordinate>& coordinate)>
      answers;
};

http::Response verify_response(const VerifyRequestOptions& options, const http::Request& request,
                               core::UnixSeconds now);

}  // namespace graspd::serve
