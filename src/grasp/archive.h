// Repositories that are kept here although they do not name this service (GRASP-05).
//
//   R1  All that are heard of, or those on a list, or those that one of the services named hosts:
//       parsed clone URLs, equal host and port.
//   R2  Read-only: nothing is taken because it lists this service, and nobody pushes. What is kept
//       comes from elsewhere.
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
