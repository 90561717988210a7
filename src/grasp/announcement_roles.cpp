#include "grasp/announcement_roles.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace graspd::grasp {
namespace {

constexpr std::size_t kTimesAt = 2;  // after the letter and the key
constexpr std::size_t kTimeDigitsMax = 20;

bool is_role(char letter) { return letter == 'M' || letter == 'm' || letter == 'o'; }

std::optional<nostr::PublicKey> parse_key(std::string_view text) {
  std::string hex(text);
  const auto lower = [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; };
  std::transform(hex.begin(), hex.end(), hex.begin(), lower);
  return nostr::PublicKey::from_hex(hex);
}

bool is_time(std::string_view text) {
  std::uint64_t time = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, time);
  return text.size() <= kTimeDigitsMax && error == std::errc() && stopped == end;
}

// R2
bool is_active(const nostr::Tag& entry) {
  const std::size_t times = entry.size() - kTimesAt;
  for (std::size_t i = 0; i < times; ++i) {
    const bool may_defer = i + 1 == times && i % 2 == 1;
    const auto value = entry[kTimesAt + i];
    if (!is_time(value) && !(may_defer && value == "defer")) return false;
  }
  return times == 0 || times % 2 == 1;
}

// What the role entries say of the author itself.
struct Self {
  bool has_entry = false;
  bool is_maintainer = false;
};

void read_entry(const nostr::Tag& entry, const nostr::PublicKey& author, Roles& roles, Self& self) {
  const auto key = parse_key(entry.value());
  if (!key) return;
  const bool maintains = entry.letter() != 'o' && is_active(entry);
  if (maintains && entry.letter() == 'M') roles.active_leads.insert(*key);
  if (*key == author) {
    self.has_entry = true;
    self.is_maintainer |= maintains;
  } else if (maintains) {
    roles.listed.insert(*key);
  }
}

// R5
void read_maintainers(const nostr::Event& event, Roles& roles) {
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != "maintainers") continue;
    for (std::size_t i = 1; i < tag.size(); ++i) {
      const auto key = nostr::PublicKey::from_hex(tag[i]);
      if (key && *key != event.pubkey) roles.listed.insert(*key);
    }
    return;
  }
}

}  // namespace

Roles parse_roles(const nostr::Event& announcement) {
  Roles roles;
  Self self;
  for (const nostr::Tag tag : announcement.tags) {
    if (!is_role(tag.letter())) continue;
    roles.role_format = true;
    read_entry(tag, announcement.pubkey, roles, self);
  }
  roles.author_active = !self.has_entry || self.is_maintainer;
  if (!roles.role_format) read_maintainers(announcement, roles);
  return roles;
}

}  // namespace graspd::grasp
