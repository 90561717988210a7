// The private service (GRASP-08): which combinations of settings are valid, and what they mean.
//
//   R1  A private service needs members, members need a private service, and PR repositories
//       (GRASP-06), which everybody may push to, exclude it.
//   R2  Members may stand in the setting, in a file, or in both; a wrong entry stops the start.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/config/settings.h"
#include "relay/member_set.h"

namespace graspd::app {

std::optional<std::string> private_contradiction(const Settings& settings);

// Those whom the operator names: R2.
relay::Keys named_members(const Settings& settings);

// What credentials for git name: the origin that is set, else http:// for a loopback address and
// https:// for all others.
std::string private_origin(const Settings& settings, std::uint16_t bound_port);

}  // namespace graspd::app
