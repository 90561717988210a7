// Limits for strangers. 0: no limit. The modules that enforce them give the reasons for the
// defaults: grasp/purgatory.h, serve/host/hosting.h.
#pragma once
#include <cstddef>

namespace graspd::app {

struct StrangerLimits {
  std::size_t waiting_announcements_max = 20'000;
  std::size_t waiting_announcements_per_ip_max = 500;
  std::size_t waiting_announcements_per_relay_max = 5'000;
  std::size_t pull_refs_max = 4'000;
  unsigned pull_quota_percent = 25;
};

}  // namespace graspd::app
