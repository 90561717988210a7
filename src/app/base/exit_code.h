// Exit codes that scripts and service managers tell apart; 0 and 1 mean what they always do.
#pragma once

namespace graspd::app {

// The command line, the configuration or the machine is not right: trying again is of no use.
inline constexpr int kUsageError = 2;

}  // namespace graspd::app
