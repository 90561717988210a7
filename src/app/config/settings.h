// Everything an operator can set, as one plain value. app/config fills it; the wiring and the
// commands read it. Nothing below app/ sees it: modules have their own option structs.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/stranger_limits.h"
#include "core/ip_address.h"
#include "core/log.h"
#include "core/time.h"
#include "gitio/process.h"
#include "grasp/access_list.h"
#include "net/server.h"
#include "nostr/keys.h"
#include "nostr/relay_url.h"
#include "relay/limits.h"
#include "sync/intake_rate.h"
#include "sync/places.h"

namespace graspd::app {

enum class Acceptance { Grasp, Open };
enum class Maintainership { Compatible, Reciprocal };
enum class Backend { Lmdb, Memory };
enum class LogFormat { Text, Json };

// An interval or timeout that was set to 0: longer than any process lives.
inline constexpr core::Duration kNever = std::chrono::hours(24 * 366 * 100);

// Who or what is welcome, or not: as it was written, and as it was read.
struct AccessSetting {
  std::string text;
  grasp::AccessList list;
  bool empty() const { return text.empty(); }
};

inline constexpr std::string_view kDefaultGitDataPath = "./data/git";

struct Settings {
  // Who the service is.
  std::string domain;  // host[:port]; empty: see service_domain()
  std::string base_path = "/";
  std::string relay_name;  // empty: see service_name()
  std::string relay_description = "Git Nostr Relay - a grasp implementation";
  std::string relay_contact;
  std::optional<nostr::SecretKey> owner_secret;
  std::string owner_nsec_file;

  // Where it listens.
  core::IpAddress bind_ip = core::IpAddress::from_v4({127, 0, 0, 1});
  std::uint16_t bind_port = 7334;
  std::vector<core::Cidr> trusted_proxies;
  std::string trusted_proxies_text;
  net::ServerOptions server;
  core::Duration shutdown_drain{10'000};

  // What it keeps, and whose.
  Acceptance acceptance = Acceptance::Grasp;
  std::string relay_data_path = "./data/relay";
  std::string git_data_path{kDefaultGitDataPath};
  Backend backend = Backend::Lmdb;
  bool database_sync = true;

  // Which repositories it hosts, and how.
  Maintainership maintainership = Maintainership::Compatible;
  AccessSetting repository_whitelist, repository_blacklist, event_blacklist;
  bool archive_all = false;
  AccessSetting archive_whitelist;
  std::vector<std::string> archive_services;
  std::optional<bool> archive_read_only;  // see is_read_only_archive()
  bool pr_repositories_enabled = false;   // pull requests for repositories of others (GRASP-06)
  std::uint64_t pr_repository_bytes_max = 512ULL << 20;  // 0: no limit
  std::uint64_t all_pr_repository_bytes_max = 10ULL << 30;
  std::string unborn_branch = "master";
  core::Duration purgatory_patience = std::chrono::minutes(30);
  core::Duration upload_patience = std::chrono::minutes(20);
  core::Duration removal_grace = std::chrono::hours(7 * 24);
  bool clone_path_must_name_repository = true;
  // 0: no limit
  std::size_t maintainers_per_announcement_max = 64;
  std::size_t repository_members_max = 256;
  std::size_t stranger_request_bytes_max = 32 * 1024 * 1024;
  std::size_t stranger_request_bytes_per_key_max = 512 * 1024;
  std::size_t stranger_list_bytes_max = 32 * 1024 * 1024;
  std::uint32_t stranger_ephemerals_per_minute = 60;  // 0: none

  // What git may take. 0: no limit.
  std::size_t git_processes_max = 64;
  std::size_t git_processes_per_ip_max = 16;
  core::Duration git_patience = std::chrono::minutes(2);
  std::uint64_t git_rate_min = 1'024;  // bytes a second, see GitServerOptions
  core::Duration git_stall_max = std::chrono::seconds(60);
  std::uint64_t pack_bytes_max = 4ULL << 30;
  std::uint64_t repository_bytes_max = 0;
  std::uint64_t free_bytes_min = 512ULL << 20;
  gitio::ProcessLimits git_process;
  std::uint64_t git_memory_max = 0;  // of all git processes; 0: half of the machine's
  StrangerLimits strangers;

  // Proactive sync.
  bool sync_enabled = true;
  std::vector<nostr::RelayUrl> sync_bootstrap;
  std::size_t sync_batch_window_ms = 5'000;
  core::Duration sync_backoff_base = std::chrono::seconds(5);
  core::Duration sync_backoff_max = std::chrono::hours(1);
  bool sync_without_negentropy = false;
  std::size_t sync_values_per_filter = 100;
  std::size_t sync_consolidate_at = 70;
  sync::PlaceLimits sync_places;
  sync::IntakeLimits sync_intake;
  std::size_t sync_new_repositories_per_relay = 5'000;
  std::size_t sync_held_bytes_max = 256 * 1024 * 1024;
  bool sync_non_global_targets = false;
  std::string sync_ca_file;
  core::Duration rejected_hot = std::chrono::minutes(2);
  core::Duration rejected_cold = std::chrono::hours(7 * 24);
  std::size_t naughty_hours = 12;

  // Git data that is fetched from elsewhere.
  bool git_fetch_enabled = true;
  core::Duration git_fetch_delay = std::chrono::minutes(3);
  std::size_t git_fetch_concurrency = 0;  // 0: two per core
  std::size_t git_fetch_per_domain = 5;
  std::size_t git_fetch_per_domain_per_minute = 60;
  std::uint64_t git_fetch_bytes_max = 4ULL << 30;
  core::Duration verify_interval = std::chrono::hours(24);

  // What one client may ask. 0: no limit.
  relay::Limits limits;
  std::uint32_t connections_per_ip_max = 1'000;
  std::size_t held_bytes_per_ip_max = 256 * 1024 * 1024;
  std::size_t held_bytes_max = 1024 * 1024 * 1024;
  std::uint32_t events_per_minute_per_ip = 6'000;

  // Threads beside the network threads.
  std::size_t verify_threads = 0;  // 0: one per core
  std::size_t query_threads = 2;

  // What it tells its operator.
  std::optional<core::log::Level> log_level = core::log::Level::Info;  // nullopt: silent
  LogFormat log_format = LogFormat::Text;
  bool metrics_enabled = true;
  std::uint32_t connections_per_ip_abuse_threshold = 10;
  std::size_t metrics_top_repositories = 10;

  bool test = false;
  std::optional<int> test_listener_fd;

  Settings() {
    server.connections_max = 20'000;
    // Two deliver one event to thousands in little more than half the time of one.
    server.network_threads = 2;
  }
};

// The address as a URL writes it: 127.0.0.1:7334, [::1]:7334.
std::string bind_address(const Settings& settings, std::uint16_t port);

// What clients call the service: the domain set, else the address and the port really bound.
std::string service_domain(const Settings& settings, std::uint16_t bound_port);
// NIP-11 `name`: the one set, else "<domain> grasp relay".
std::string service_name(const Settings& settings, std::uint16_t bound_port);

// The relay's own URL: wss:// as a proxy serves it, ws:// when the name is a loopback address.
nostr::RelayUrl service_url(const Settings& settings, std::uint16_t bound_port);

std::size_t verify_threads(const Settings& settings);  // with 0 resolved

}  // namespace graspd::app
