// A repository as a page shows it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "git/ref_name.h"
#include "grasp/announcement.h"
#include "grasp/catalog.h"
#include "grasp/git_health.h"

namespace graspd::grasp {

struct RepositoryCard {
  Announcement announcement;
  Place place = Place::Served;
  std::vector<nostr::PublicKey> maintainers;  // those with authority, the root first
  std::string no_authority;                   // why there are none
  git::Refs branches, tags;                   // as git serves them
  std::optional<git::RefName> head;
  std::optional<core::UnixSeconds> state_since;  // created_at of the state that is served
  std::optional<GitHealth> health;
  core::UnixSeconds taken_at = 0;
};

// One line of the list of what is hosted.
struct RepositoryLine {
  Coordinate coordinate;
  std::string name, description;
  core::UnixSeconds announced_at = 0;
};

}  // namespace graspd::grasp
