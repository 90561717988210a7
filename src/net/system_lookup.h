// What a name stands for, as the system says (getaddrinfo). Blocks.
//
//   R1  That a name stands for nothing is an answer, an empty one. A failure means that nobody
//       could be asked, and says nothing about the name.
#pragma once
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"

namespace graspd::net {

core::Result<std::vector<core::IpAddress>, std::string> system_lookup(const std::string& host);

}  // namespace graspd::net
