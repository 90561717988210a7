// Repositories that are kept here although they do not list this service (GRASP-05).
//
//   R1  Every repository that the server hears of, or those on a list, or those that one of the
//       named services hosts: clone URLs are parsed, and host and port must be equal.
//   R2  Read-only: listing this service is no reason to host a repository, and nobody can push. All
//       data comes from elsewhere.
#pragma once
#include <string>
#include <vector>

#include "grasp/access_list.h"
#include "grasp/announcement.h"
#include "grasp/service.h"

namespace graspd::grasp {

struct Archive {
  bool all = false;
  AccessList whitelist;
  std::vector<Service> services;
  bool read_only = false;

  bool wants(const Announcement& announcement) const;  // R1
  std::string text() const;                            // equal archives, equal texts

  bool operator==(const Archive&) const = default;
};

}  // namespace graspd::grasp
