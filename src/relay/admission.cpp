#include "relay/admission.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "nostr/json.h"

namespace graspd::relay {
namespace {

namespace kinds = nostr::kinds;

// Credentials and sealed parts of other events: published on their own they are a mistake or a
// leak.
constexpr std::array kKindsNeverPublished{kinds::kSeal, kinds::kZapRequest, kinds::kClientAuth,
                                          kinds::kBlobAuth, kinds::kHttpAuth};

bool is_repost_of_protected(const nostr::Event& event) {
  if (event.kind != kinds::kRepost && event.kind != kinds::kGenericRepost) return false;
  if (event.content.empty()) return false;
  auto embedded = nostr::JsonReader().event(event.content);
  return embedded && nostr::is_protected(*embedded);
}

bool is_unaddressed_gift_wrap(const nostr::Event& event) {
  if (event.kind != kinds::kGiftWrap) return false;
  std::size_t recipients = 0;
  for (nostr::Tag tag : event.tags) recipients += tag.name() == "p";
  return recipients != 1;
}

bool is_vanish_from_nowhere(const nostr::Event& event) {
  if (event.kind != kinds::kVanish) return false;
  return std::none_of(event.tags.begin(), event.tags.end(),
                      [](nostr::Tag tag) { return tag.name() == "relay" && !tag.value().empty(); });
}

bool is_too_far_ahead(const nostr::Event& event, const Limits& limits, core::UnixSeconds now) {
  return limits.created_at_ahead_seconds > 0 &&
         event.created_at > now + core::UnixSeconds{limits.created_at_ahead_seconds};
}

}  // namespace

std::optional<std::string> refuse_at_the_door(const nostr::Event& event, std::size_t event_bytes,
                                              const Limits& limits, core::UnixSeconds now) {
  if (limits.event_bytes > 0 && event_bytes > limits.event_bytes)
    return fmt::format("blocked: event size ({} bytes) exceeds maximum allowed size ({} bytes)",
                       event_bytes, limits.event_bytes);
  if (std::ranges::find(kKindsNeverPublished, event.kind) != kKindsNeverPublished.end())
    return fmt::format("blocked: kind {} is not accepted by this relay", event.kind.value);
  if (nostr::is_expired(event, now) && !nostr::is_ephemeral(event.kind))
    return "blocked: event is expired";
  if (is_too_far_ahead(event, limits, now))
    return fmt::format("invalid: created_at is more than {} seconds in the future",
                       limits.created_at_ahead_seconds);
  if (is_repost_of_protected(event)) return "blocked: repost of a protected event";
  if (is_vanish_from_nowhere(event)) return "invalid: a request to vanish needs a relay tag";
  if (is_unaddressed_gift_wrap(event)) return "blocked: a gift wrap needs exactly one p tag";
  return std::nullopt;
}

}  // namespace graspd::relay
