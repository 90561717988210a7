// Resolves a name with the system's resolver (getaddrinfo). Blocks.
//
//   R1  A name without addresses is an answer, an empty one. A failure means that no resolver
//       answered, and says nothing about the name.
#pragma once
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"

namespace graspd::net {

core::Result<std::vector<core::IpAddress>, std::string> system_lookup(const std::string& host);

}  // namespace graspd::net
