// What a name stands for, as the system says (getaddrinfo). Blocks.
#pragma once
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"

namespace graspd::net {

core::Result<std::vector<core::IpAddress>, std::string> system_lookup(const std::string& host);

}  // namespace graspd::net
