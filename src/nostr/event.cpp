#include "nostr/event.h"

#include <algorithm>
#include <charconv>

namespace graspd::nostr {
namespace {

std::optional<core::UnixSeconds> parse_time(std::string_view text) {
  core::UnixSeconds value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string_view identifier(const Event& event) { return event.tags.first("d").value_or(""); }

std::optional<core::UnixSeconds> expiration(const Event& event) {
  for (const Tag tag : event.tags) {
    if (tag.name() != "expiration") continue;
    if (const auto time = parse_time(tag.value())) return time;
  }
  return std::nullopt;
}

bool is_expired(const Event& event, core::UnixSeconds now) {
  const auto time = expiration(event);
  return time && *time <= now;
}

bool is_protected(const Event& event) {
  return std::any_of(event.tags.begin(), event.tags.end(),
                     [](const Tag& tag) { return tag.name() == "-"; });
}

}  // namespace graspd::nostr
