#include "grasp/access_list.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/ascii.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view csv) {
  std::vector<std::string_view> entries;
  while (!csv.empty()) {
    const auto entry = csv.substr(0, csv.find(','));
    if (!trimmed(entry).empty()) entries.push_back(trimmed(entry));
    csv.remove_prefix(std::min(entry.size() + 1, csv.size()));
  }
  return entries;
}

// R2
bool looks_like_key(std::string_view entry) {
  constexpr std::array<std::string_view, 6> kNames{"npub1", "nsec1",   "nprofile1",
                                                   "note1", "nevent1", "naddr1"};
  const std::string word = core::lowered(entry);
  return std::ranges::any_of(kNames, [&](std::string_view name) { return word.starts_with(name); });
}

// R1
std::optional<nostr::PublicKey> key_of(std::string_view text) {
  if (const auto key = nostr::nip19::parse_npub(text)) return key;
  return nostr::PublicKey::from_hex(core::lowered(text));
}

}  // namespace

bool AccessList::add_author(std::string_view entry) {
  const auto owner = key_of(entry);
  if (owner) owners_.insert(*owner);
  return owner.has_value();
}

bool AccessList::add_repository(std::string_view entry) {
  const auto slash = entry.find('/');
  if (slash == std::string_view::npos) return false;
  const auto owner = key_of(entry.substr(0, slash));
  auto identifier = Identifier::parse(entry.substr(slash + 1));
  if (!owner || !identifier) return false;
  repositories_.insert({*owner, *std::move(identifier)});
  return true;
}

bool AccessList::add(std::string_view entry) {
  if (add_author(entry) || add_repository(entry)) return true;
  auto identifier = looks_like_key(entry) ? std::nullopt : Identifier::parse(entry);
  if (!identifier) return false;
  identifiers_.insert(*std::move(identifier));
  return true;
}

AccessList::Parsed AccessList::parse(std::string_view csv) {
  Parsed parsed;
  for (const auto entry : split(csv)) {
    if (!parsed.list.add(entry)) parsed.bad.emplace_back(entry);
  }
  return parsed;
}

AccessList::Parsed AccessList::parse_authors(std::string_view csv) {
  Parsed parsed;
  for (const auto entry : split(csv)) {
    if (!parsed.list.add_author(entry)) parsed.bad.emplace_back(entry);
  }
  return parsed;
}

std::optional<AccessRule> AccessList::match(const Coordinate& coordinate) const {
  if (owners_.count(coordinate.owner) > 0) return AccessRule::Owner;
  if (repositories_.count(coordinate) > 0) return AccessRule::Repository;
  if (identifiers_.count(coordinate.identifier) > 0) return AccessRule::Identifier;
  return std::nullopt;
}

std::string AccessList::text() const {
  std::string text;
  for (const nostr::PublicKey& owner : owners_) text += nostr::nip19::npub(owner) + "\n";
  for (const Coordinate& repository : repositories_) text += repository.path() + "\n";
  for (const Identifier& identifier : identifiers_) text += identifier.text() + "\n";
  return text;
}

std::string blacklisted_text(AccessRule rule, const Coordinate& coordinate) {
  const auto npub = nostr::nip19::npub(coordinate.owner);
  const auto& identifier = coordinate.identifier.text();
  switch (rule) {
    case AccessRule::Owner:
      return fmt::format("Repository owner {} is blacklisted", npub);
    case AccessRule::Repository:
      return fmt::format("Repository {}/{} is blacklisted", npub, identifier);
    case AccessRule::Identifier:
      break;
  }
  return fmt::format("Repository identifier {} is blacklisted", identifier);
}

}  // namespace graspd::grasp
