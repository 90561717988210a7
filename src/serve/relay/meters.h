// What the relay counts, as plain numbers; metrics/ shows them. Written from any thread.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "nostr/kind.h"
#include "nostr/message.h"
#include "serve/runtime/number.h"
#include "store/event_store.h"

namespace graspd::serve {

// The kinds that get a label of their own. Strangers choose kinds, so the rest share "other".
inline constexpr std::array<std::uint16_t, 20> kLabelledKinds{
    0,    1,    3,    5,    6,    7,    62,    1111,  1617,  1618,
    1619, 1621, 1630, 1631, 1632, 1633, 10002, 10317, 30617, 30618};
inline constexpr std::size_t kKindLabels = kLabelledKinds.size() + 1;
std::size_t kind_label(nostr::Kind kind);
std::string_view kind_label_text(std::size_t label);

struct Meters {
  enum class Rejection { Invalid, Policy, Deleted, Vanished, Expired, RateLimited };
  static constexpr std::size_t kRejections = 6;
  static std::string_view text(Rejection reason);

  Number connections_total, connections_active;
  Number subscriptions;
  std::array<Number, std::variant_size_v<nostr::ClientMessage> + 1> heard;  // last: malformed
  std::array<Number, 9> sent;
  static constexpr std::size_t kSentEvent = 0;
  std::array<Number, kKindLabels> received, stored;
  std::array<std::array<Number, kRejections>, kKindLabels> refused;
  Number stored_directly;  // not brought by sync
  Number duplicates, duplicates_before_verification, superseded;
  Number write_batches, write_failures;
  Number queries, query_slices, reconciliations, fell_behind;

  void rejected(nostr::Kind kind, Rejection reason);
  void decided(nostr::Kind kind, store::Outcome outcome);

  static std::string_view heard_text(std::size_t index);    // "EVENT", "REQ", … "malformed"
  static std::string_view sent_text(std::size_t index);     // "EVENT", "OK", …
  static std::size_t sent_label(std::string_view message);  // of a message's text
};

}  // namespace graspd::serve
