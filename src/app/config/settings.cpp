#include "app/config/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

#include "core/check.h"

namespace graspd::app {

Settings::Settings() {
  server.connections_max = 20'000;
  // Two deliver one event to thousands in little more than half the time of one.
  server.network_threads = 2;
  // A host that cannot be found now is rarely there a moment later.
  sync.dialer.error_lifetime = std::chrono::minutes(10);
  // These depend on the machine: see the wiring.
  ingest.verify_threads = 0;
  fetch.scheduler.concurrency = 0;
}

std::string bind_address(const Settings& settings, std::uint16_t port) {
  const std::string ip = settings.bind_ip.text();
  return settings.bind_ip.is_v4() ? fmt::format("{}:{}", ip, port)
                                  : fmt::format("[{}]:{}", ip, port);
}

std::string service_domain(const Settings& settings, std::uint16_t bound_port) {
  return settings.domain.empty() ? bind_address(settings, bound_port) : settings.domain;
}

std::string service_name(const Settings& settings, std::uint16_t bound_port) {
  if (!settings.relay_name.empty()) return settings.relay_name;
  return service_domain(settings, bound_port) + " grasp relay";
}

nostr::RelayUrl service_url(const Settings& settings, std::uint16_t bound_port) {
  const std::string domain = service_domain(settings, bound_port);
  const std::string host_and_mount = domain + (settings.base_path == "/" ? "" : settings.base_path);
  const auto plain = nostr::RelayUrl::parse("ws://" + host_and_mount);
  const auto secure = nostr::RelayUrl::parse("wss://" + host_and_mount);
  CHECK(plain && secure);  // domain and path were checked when they were set
  const auto ip = core::IpAddress::parse(plain->host());
  const bool local = plain->host() == "localhost" || (ip && ip->is_loopback());
  return local ? *plain : *secure;
}

std::size_t verify_threads(const Settings& settings) {
  if (settings.ingest.verify_threads > 0) return settings.ingest.verify_threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace graspd::app
