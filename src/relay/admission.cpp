#include "relay/admission.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "nostr/json.h"
#include "store/answer.h"

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

// Different values of tags that filters can ask for.
std::size_t indexed_values(const nostr::Event& event) {
  std::set<std::pair<char, std::string_view>> values;
  for (const nostr::Tag tag : event.tags)
    if (tag.letter() != 0 && tag.size() > 1) values.emplace(tag.letter(), tag.value());
  return values.size();
}

std::optional<std::string> indexes_too_much(const nostr::Event& event, const Limits& limits) {
  if (limits.indexed_values == 0 || event.tags.size() <= limits.indexed_values) return std::nullopt;
  const std::size_t count = indexed_values(event);
  if (count <= limits.indexed_values) return std::nullopt;
  return fmt::format(
      "blocked: the event has {} tag values that filters can ask for, at most {} are "
      "accepted",
      count, limits.indexed_values);
}

// The reason for what is wrong with the event at any time.
std::optional<std::string> never_taken(const nostr::Event& event, std::size_t event_bytes,
                                       const Limits& limits) {
  if (limits.event_bytes > 0 && event_bytes > limits.event_bytes)
    return fmt::format("blocked: event size ({} bytes) exceeds maximum allowed size ({} bytes)",
                       event_bytes, limits.event_bytes);
  if (std::ranges::find(kKindsNeverPublished, event.kind) != kKindsNeverPublished.end())
    return fmt::format("blocked: kind {} is not accepted by this relay", event.kind.value);
  if (auto reason = indexes_too_much(event, limits)) return reason;
  if (is_repost_of_protected(event)) return "blocked: repost of a protected event";
  if (is_vanish_from_nowhere(event)) return "invalid: a request to vanish needs a relay tag";
  if (is_unaddressed_gift_wrap(event)) return "blocked: a gift wrap needs exactly one p tag";
  return std::nullopt;
}

}  // namespace

bool is_too_far_ahead(core::UnixSeconds created_at, const Limits& limits, core::UnixSeconds now) {
  return limits.created_at_ahead_seconds > 0 &&
         created_at > now + core::UnixSeconds{limits.created_at_ahead_seconds};
}

std::optional<Refusal> refuse_at_intake(const nostr::Event& event, std::size_t event_bytes,
                                        const Limits& limits, core::UnixSeconds now) {
  if (auto text = never_taken(event, event_bytes, limits)) return Refusal{*std::move(text)};
  if (nostr::is_expired(event, now) && !nostr::is_ephemeral(event.kind))
    return Refusal{std::string(store::answer_to(store::Outcome::Expired).text),
                   Refusal::Why::Expired};
  if (is_too_far_ahead(event.created_at, limits, now))
    return Refusal{fmt::format("invalid: created_at is more than {} seconds in the future",
                               limits.created_at_ahead_seconds),
                   Refusal::Why::TooEarly};
  return std::nullopt;
}

std::optional<Refusal> refuse_from(Source::Intake intake, const nostr::Event& event,
                                   std::size_t event_bytes, const Limits& limits,
                                   core::UnixSeconds now) {
  if (intake == Source::Intake::Sync && nostr::is_protected(event))
    return Refusal{"restricted: this event may only be published by its author"};
  return refuse_at_intake(event, event_bytes, limits, now);
}

}  // namespace graspd::relay
