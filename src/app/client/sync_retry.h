// graspd sync retry: makes a running server retry a relay now, whatever it waits for.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct SyncRetryOptions {
  std::string relay;
  std::string url;  // of a running server; empty: the one of this configuration
};

// Signed with the relay's own key (NIP-98): only its operator may.
int retry_relay(const Settings& settings, const SyncRetryOptions& options);

}  // namespace graspd::app
