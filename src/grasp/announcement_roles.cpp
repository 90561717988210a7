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

class Reader {
 public:
  Reader(const nostr::Event& announcement, std::size_t listed_max)
      : announcement_(announcement), listed_max_(listed_max) {}

  Roles read() {
    for (const nostr::Tag tag : announcement_.tags) {
      if (!is_role(tag.letter())) continue;
      roles_.role_format = true;
      read_entry(tag);
    }
    roles_.author_active = !author_has_entry_ || author_maintains_;
    if (!roles_.role_format) read_maintainers();
    roles_.left_out = left_out_.size();
    return std::move(roles_);
  }

 private:
  // False: there is no place for it (R7).
  bool list(const nostr::PublicKey& key) {
    if (roles_.listed.contains(key)) return true;
    const bool has_place = roles_.listed.size() < listed_max_;
    (has_place ? roles_.listed : left_out_).insert(key);
    return has_place;
  }

  void read_entry(const nostr::Tag& entry) {
    const auto key = parse_key(entry.value());
    if (!key) return;
    const bool maintains = entry.letter() != 'o' && is_active(entry);
    bool counts = maintains;
    if (*key == announcement_.pubkey) {
      author_has_entry_ = true;
      author_maintains_ |= maintains;
    } else if (maintains) {
      counts = list(*key);
    }
    if (counts && entry.letter() == 'M') roles_.active_leads.insert(*key);
  }

  // R5
  void read_maintainers() {
    for (const nostr::Tag tag : announcement_.tags) {
      if (tag.name() != "maintainers") continue;
      for (std::size_t i = 1; i < tag.size(); ++i) {
        const auto key = nostr::PublicKey::from_hex(tag[i]);
        if (key && *key != announcement_.pubkey) list(*key);
      }
      return;
    }
  }

  const nostr::Event& announcement_;
  const std::size_t listed_max_;
  Roles roles_;
  std::set<nostr::PublicKey> left_out_;
  bool author_has_entry_ = false, author_maintains_ = false;
};

}  // namespace

Roles parse_roles(const nostr::Event& announcement, std::size_t listed_max) {
  return Reader(announcement, listed_max).read();
}

}  // namespace graspd::grasp
