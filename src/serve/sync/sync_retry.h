// The operator requests a retry of a relay: POST /api/sync/retry with its URL.
//
//   R1  The request must be signed by the relay's own key (NIP-98); any other key is rejected.
//   R2  The first line of the answer is a sentence: done, not followed, or not authorised.
#pragma once
#include <functional>
#include <vector>

#include "core/time.h"
#include "http/message.h"
#include "nostr/keys.h"
#include "nostr/relay_url.h"

namespace graspd::serve {

struct SyncRetryOptions {
  nostr::PublicKey owner;
  std::vector<nostr::RelayUrl> addresses;                 // of /api/sync/retry, as ws:// or wss://
  std::function<bool(const nostr::RelayUrl& url)> retry;  // false: it is not followed
};

http::Response retry_response(const SyncRetryOptions& options, const http::Request& request,
                              core::UnixSeconds now);

}  // namespace graspd::serve
