#include "web/text.h"

#include <chrono>
#include <fmt/format.h>

#include "nostr/nip19.h"
#include "web/html.h"

namespace graspd::web {
namespace {

constexpr core::UnixSeconds kYear10000 = 253'402'300'800;

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

// U+202A..U+202E and U+2066..U+2069, three bytes each.
bool turns_direction(std::string_view text) {
  const auto begins = [&](std::string_view lead, unsigned char low, unsigned char high) {
    if (text.size() < 3 || !text.starts_with(lead)) return false;
    const auto last = static_cast<unsigned char>(text[2]);
    return last >= low && last <= high;
  };
  return begins("\xe2\x80", 0xaa, 0xae) || begins("\xe2\x81", 0xa6, 0xa9);
}

std::string without_tricks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (turns_direction(text.substr(at)))
      at += 2;
    else if (!is_control(text[at]))
      out += text[at];
  }
  return out;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string tidy(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return without_tricks(text);
  std::size_t end = bytes_max;
  while (end > 0 && continues_character(text[end])) --end;
  return without_tricks(text.substr(0, end)) + "…";
}

std::string shown(std::string_view text, std::size_t bytes_max) {
  return "<bdi>" + http::escape(tidy(text, bytes_max)) + "</bdi>";
}

std::string date(core::UnixSeconds time) {
  if (time < 0 || time >= kYear10000) return {};
  const std::chrono::sys_seconds moment{std::chrono::seconds(time)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(moment)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string short_npub(const nostr::PublicKey& key) {
  const std::string npub = nostr::nip19::npub(key);
  return npub.substr(0, 12) + "…" + npub.substr(npub.size() - 6);
}

}  // namespace graspd::web
