#include "grasp/references.h"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace graspd::grasp {
namespace {

// R3
std::optional<nostr::Address> read_address(std::string_view text) {
  if (auto address = nostr::Address::parse(text)) return address;
  auto address = nostr::Address::parse(fmt::format("{}:", text));
  const bool is_short = address && nostr::is_replaceable(address->kind);
  return is_short ? address : std::nullopt;
}

bool names_address(const nostr::Tag& tag) {
  switch (tag.letter()) {
    case 'a':
    case 'A':
      return true;
    case 'q':
      return tag.value().find(':') != std::string_view::npos;
    default:
      return false;
  }
}

bool names_id(const nostr::Tag& tag) {
  const char letter = tag.letter();
  return letter == 'e' || letter == 'E' || (letter == 'q' && !names_address(tag));
}

template <class Name>
void add_new(const std::optional<Name>& name, std::set<Name>& seen, std::vector<Name>& names) {
  if (name && seen.insert(*name).second) names.push_back(*name);
}

nostr::Filter tagged(std::string_view letter, std::vector<std::string> values) {
  nostr::Filter filter;
  filter.tags.push_back({letter.front(), std::move(values)});
  nostr::normalise(filter);
  return filter;
}

void append_filters(std::vector<nostr::Filter>& filters, std::string_view letters,
                    const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    filters.push_back(tagged(letters.substr(i, 1), values));
  }
}

std::vector<std::string> spellings(const nostr::Address& address) {
  std::vector<std::string> texts = {address.text()};
  if (nostr::is_replaceable(address.kind)) {
    texts.push_back(fmt::format("{}:{}", address.kind.value, address.pubkey.hex()));
  }
  return texts;
}

}  // namespace

References references_of(const nostr::Event& event) {
  References out;
  std::set<nostr::Address> seen_addresses;
  std::set<nostr::EventId> seen_ids;
  for (const nostr::Tag tag : event.tags) {
    if (out.addresses.size() + out.ids.size() == kReferencesMax) break;
    if (names_address(tag)) add_new(read_address(tag.value()), seen_addresses, out.addresses);
    if (names_id(tag)) add_new(nostr::EventId::from_hex(tag.value()), seen_ids, out.ids);
  }
  return out;
}

std::vector<nostr::Filter> referrers_of(const nostr::EventId& id) {
  std::vector<nostr::Filter> filters;
  append_filters(filters, "eEq", {id.hex()});
  return filters;
}

std::vector<nostr::Filter> referrers_of(const nostr::Address& address) {
  std::vector<nostr::Filter> filters;
  append_filters(filters, "aAq", spellings(address));
  return filters;
}

std::vector<nostr::Filter> referrers_of(const nostr::Event& event) {
  std::vector<nostr::Filter> filters = referrers_of(event.id);
  if (const auto address = nostr::address_of(event)) {
    const auto by_address = referrers_of(*address);
    filters.insert(filters.end(), by_address.begin(), by_address.end());
  }
  return filters;
}

bool can_anchor(nostr::Kind kind) {
  const bool is_about_a_person = nostr::is_replaceable(kind) || kind == nostr::kinds::kDeletion ||
                                 kind == nostr::kinds::kVanish;
  return !is_about_a_person && !nostr::is_ephemeral(kind);
}

}  // namespace graspd::grasp
