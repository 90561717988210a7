// What a relay means when it refuses (sync.md §5, the table): first match wins.
//
//   R1  Judged on lower-cased text. Numbers in it are not trusted, except a byte cap.
//   R2  Size comes before rate: "rate-limited: too many negentropy items" is about size.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace graspd::sync {

enum class RefusalKind : std::uint8_t {
  AuthRequired,
  RetainedBytes,  // our open subscriptions are too large in sum
  FilterCount,    // too many filters in one REQ
  Size,           // the set is too large to reconcile or to answer
  Concurrency,    // too many at once
  RateLimit,
  BadFilter,
  LimitZero,      // `limit: 0` is not understood
  LimitTooLarge,  // a `limit` above what the relay gives
  Policy,         // we are not welcome here
  Other,
};

struct Refusal {
  RefusalKind kind = RefusalKind::Other;
  std::optional<std::uint64_t> bytes;  // with RetainedBytes
  bool operator==(const Refusal&) const = default;
};

Refusal read_refusal(std::string_view text);

// Is a reconciliation refused because its set is too large? Relays say that in more ways.
bool is_too_large(std::string_view text);

// The label of ngit_sync_policy_refusals_total; nullptr when the text is no policy refusal.
const char* policy_category(std::string_view text);

}  // namespace graspd::sync
