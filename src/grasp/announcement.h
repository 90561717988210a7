// A repository announcement (NIP-34, kind 30617) as a value.
//
//   R1  `d` must be an Identifier; there is at most one `clone` tag. Nothing else is required.
//   R2  The values of all `relays`, `web` and `t` tags count; empty values are left out.
//   R3  The description is that of the tag, or the content if there is no such tag.
//   R4  A tag that is exactly ["private","true"] says that only members of private services
//       (GRASP-08) are to know of the repository.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "grasp/announcement_roles.h"
#include "grasp/coordinate.h"
#include "nostr/event.h"

namespace graspd::grasp {

struct Announcement {
  Coordinate coordinate;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  std::string name, description;
  std::vector<std::string> web, clone, relays, topics;  // as written, not validated
  std::optional<std::string> earliest_unique_commit;    // as written
  Roles roles;
  bool is_private = false;  // R4

  bool operator==(const Announcement&) const = default;
};

// Of an event of kind 30617; the error is an OK text, `invalid: ` included.
core::Result<Announcement, std::string> parse_announcement(
    const nostr::Event& event, std::size_t listed_max = kListedWithoutLimit);

}  // namespace graspd::grasp
