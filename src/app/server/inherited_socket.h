// A listening socket that somebody else opened: the service manager (systemd socket activation,
// so that a restart refuses nobody), or a test that wants to know the port beforehand.
//
//   R1  LISTEN_PID must be this process and LISTEN_FDS 1; for anybody else they are not meant.
//   R2  What is handed over must be a listening stream socket, and a test's on a loopback address.
//   R3  The variables are removed and the socket is closed on exec: children inherit neither.
#pragma once
#include <optional>
#include <string>

#include "app/config/config.h"
#include "app/config/settings.h"
#include "core/result.h"

namespace graspd::app {

// nullopt: none was handed over, so bind. The failure is a sentence for the operator.
core::Result<std::optional<int>, std::string> inherited_socket(const Settings& settings,
                                                               const Environment& environment);

}  // namespace graspd::app
