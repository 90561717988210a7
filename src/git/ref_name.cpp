#include "git/ref_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace graspd::git {
namespace {

constexpr std::string_view kRefs = "refs/";
constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";
constexpr std::string_view kNostr = "refs/nostr/";

constexpr auto kForbidden = [] {
  std::array<bool, 256> table{};
  for (std::size_t control = 0; control < 0x20; ++control) table[control] = true;
  for (const char c : {' ', '~', '^', ':', '?', '*', '[', '\\', '\x7f'}) {
    table[static_cast<std::uint8_t>(c)] = true;
  }
  return table;
}();

bool is_forbidden(char c) { return kForbidden[static_cast<std::uint8_t>(c)]; }

bool is_good_part(std::string_view part) {
  return !part.empty() && part.size() <= RefName::kPartBytesMax && !part.starts_with('.') &&
         !part.ends_with(".lock");
}

bool has_good_parts(std::string_view text) {
  while (true) {
    const auto slash = text.find('/');
    if (!is_good_part(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_good(std::string_view text) {
  if (text.size() > RefName::kBytesMax || !text.starts_with(kRefs)) return false;
  if (text.find('/', kRefs.size()) == std::string_view::npos) return false;
  if (std::any_of(text.begin(), text.end(), is_forbidden)) return false;
  if (text.find("..") != std::string_view::npos || text.find("@{") != std::string_view::npos)
    return false;
  return !text.ends_with('.') && has_good_parts(text);
}

std::string_view prefix(RefName::Space space) {
  switch (space) {
    case RefName::Space::Heads:
      return kHeads;
    case RefName::Space::Tags:
      return kTags;
    case RefName::Space::Nostr:
      return kNostr;
    case RefName::Space::Other:
      return kRefs;
  }
  return kRefs;
}

}  // namespace

std::optional<std::string> RefName::why_too_long(std::string_view text) {
  if (text.size() > kBytesMax)
    return "has " + std::to_string(text.size()) + " bytes, and " + std::to_string(kBytesMax) +
           " is the most a ref can have here";
  while (!text.empty()) {
    const std::size_t part = std::min(text.find('/'), text.size());
    if (part > kPartBytesMax)
      return "has a part of " + std::to_string(part) + " bytes, and a file can hold " +
             std::to_string(kPartBytesMax);
    text.remove_prefix(std::min(part + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<RefName> RefName::parse(std::string_view text) {
  if (!is_good(text)) return std::nullopt;
  return RefName(text);
}

RefName::Space RefName::space() const {
  if (text_.starts_with(kHeads)) return Space::Heads;
  if (text_.starts_with(kTags)) return Space::Tags;
  if (text_.starts_with(kNostr)) return Space::Nostr;
  return Space::Other;
}

std::string_view RefName::short_name() const {
  return std::string_view(text_).substr(prefix(space()).size());
}

std::vector<Oid> tips_of(const Refs& refs) {
  std::set<Oid> tips;
  for (const auto& [ref, oid] : refs) tips.insert(oid);
  return {tips.begin(), tips.end()};
}

}  // namespace graspd::git
