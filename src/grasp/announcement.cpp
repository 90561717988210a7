#include "grasp/announcement.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/check.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kManyCloneTags =
    "invalid: Invalid announcement: multiple clone tags found. correct format is single clone tag "
    "with multiple values";

std::vector<std::string> values_of(const nostr::Event& event, std::string_view name) {
  std::vector<std::string> values;
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != name) continue;
    for (std::size_t i = 1; i < tag.size(); ++i) {
      if (!tag[i].empty()) values.emplace_back(tag[i]);
    }
  }
  return values;
}

bool has_many(const nostr::Event& event, std::string_view name) {
  const auto is_it = [&](const nostr::Tag& tag) { return tag.name() == name; };
  return std::count_if(event.tags.begin(), event.tags.end(), is_it) > 1;
}

std::optional<std::string> earliest_unique_commit(const nostr::Event& event) {
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() == "r" && tag.at_or_empty(2) == "euc") return std::string(tag.value());
  }
  return std::nullopt;
}

bool says_private(const nostr::Event& event) {
  const auto is_it = [](const nostr::Tag& tag) {
    return tag.size() == 2 && tag.name() == "private" && tag.value() == "true";
  };
  return std::any_of(event.tags.begin(), event.tags.end(), is_it);
}

}  // namespace

core::Result<Announcement, std::string> parse_announcement(const nostr::Event& event,
                                                           std::size_t listed_max) {
  CHECK(event.kind == kinds::kAnnouncement);
  const auto identifier = nostr::identifier(event);
  if (const auto fault = Identifier::fault(identifier)) {
    return core::Failure{fmt::format("invalid: {}", describe(*fault))};
  }
  if (has_many(event, "clone")) return core::Failure{std::string(kManyCloneTags)};

  return Announcement{
      .coordinate = {event.pubkey, *Identifier::parse(identifier)},
      .id = event.id,
      .created_at = event.created_at,
      .name = std::string(event.tags.first("name").value_or("")),
      .description = std::string(event.tags.first("description").value_or(event.content)),
      .web = values_of(event, "web"),
      .clone = values_of(event, "clone"),
      .relays = values_of(event, "relays"),
      .topics = values_of(event, "t"),
      .earliest_unique_commit = earliest_unique_commit(event),
      .roles = parse_roles(event, listed_max),
      .is_private = says_private(event),
  };
}

}  // namespace graspd::grasp
