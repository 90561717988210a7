// Why a fetch from a remote failed, as a code that a scheduler can act on.
//
//   R1  Causes that we find ourselves (name, address, limits, cancellation) are reported as such.
//       The others follow from how far the exchange came and from the HTTP status, never from
//       prose.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"

namespace graspd::git {

enum class FetchFailure : std::uint8_t {
  Name,          // the name stands for no address
  Forbidden,     // it stands for one that we do not go to
  Unreachable,   // nobody listens there, or there is no way
  TimedOut,      // no connection, or no advertisement, in time
  Tls,           // no handshake, or a certificate that is not believed
  NotGit,        // it speaks HTTP, but not git's smart protocol
  Unauthorized,  // 401, 403: it wants to know who we are
  NotFound,      // 404, 410, and redirects: the repository is not at this URL
  RateLimited,   // 429, or 503 with a time: see retry_after
  Broken,        // other statuses, connections that end in the middle
  Lacks,         // it has none of what is wanted
  TooLarge,      // more bytes or refs than allowed
  Stalled,       // silent for too long, or not done by the last deadline
  Corrupt,       // objects that fail git's check, or history with holes
  OurFault,      // no process, no disk: says nothing about the remote
  Stopped,       // by us
};

std::string_view name(FetchFailure failure);      // "rate_limited": for logs and metrics
std::string_view in_words(FetchFailure failure);  // "rate limited": for people

struct FetchError {
  FetchFailure failure = FetchFailure::Broken;
  std::string text;               // one line for people; may quote the remote
  std::uint16_t http_status = 0;  // the last one seen, 0 if none
  std::optional<core::Duration> retry_after;
};

}  // namespace graspd::git
