// Everything an operator can set, as one plain value. app/config fills it; the wiring and the
// commands read it. Nothing below app/ sees it: modules have their own option structs, which are
// embedded here, so that every default stands in one place. The wiring adds what is known only when
// the server starts.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/log.h"
#include "core/time.h"
#include "grasp/access_list.h"
#include "net/server.h"
#include "nostr/keys.h"
#include "relay/limits.h"
#include "serve/fetch/options.h"
#include "serve/git/git_server.h"
#include "serve/host/grasp_host.h"
#include "serve/host/repository_sizes.h"
#include "serve/relay/client_quotas.h"
#include "serve/relay/ingest.h"
#include "serve/sync/sync_service.h"

namespace graspd::app {

enum class Acceptance { Grasp, Open };
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

// GRASP-08, see app/config/setting_private.h.
struct PrivateService {
  bool is_on = false;
  std::string public_origin;  // empty: see private_origin()
  bool derives_members = true;
  bool syncs_with_public = false;
  core::Duration follow_interval = std::chrono::seconds(5);  // of derived members
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

  // Which repositories it hosts, and how. 0: no limit.
  AccessSetting repository_whitelist, repository_blacklist, event_blacklist;
  bool archive_all = false;
  AccessSetting archive_whitelist;
  std::vector<std::string> archive_services;
  std::vector<std::string> former_domains;
  bool lets_former_go = false;            // NGIT_FORMER_DOMAINS=none
  std::optional<bool> archive_read_only;  // see is_read_only_archive()
  serve::GraspHostOptions host;
  PrivateService private_service;
  AccessSetting private_members, private_members_file;  // whose text is the path
  std::uint64_t free_bytes_min = 512ULL << 20;
  serve::GitServerOptions git;  // memory.budget 0: half of the machine's

  // Proactive sync, and git data that is fetched from elsewhere.
  bool sync_enabled = true;
  serve::SyncServiceOptions sync;
  bool git_fetch_enabled = true;
  serve::FetchDriverOptions fetch;  // scheduler.concurrency 0: two per core
  serve::VerifierOptions verifier;  // plan.interval kNever: only on request

  // What one client may ask. 0: no limit.
  relay::Limits limits;
  serve::ClientLimits clients;

  // Threads beside the network threads.
  serve::IngestOptions ingest;  // verify_threads 0: one per core
  std::size_t query_threads = serve::RelayServerOptions::kQueryThreads;

  // What it tells its operator.
  std::optional<core::log::Level> log_level = core::log::Level::Info;  // nullopt: silent
  LogFormat log_format = LogFormat::Text;
  bool metrics_enabled = true;
  std::string status_token;  // empty: none is wanted
  core::Duration metrics_lifetime = std::chrono::seconds(1);
  serve::RepositorySizesOptions sizes;

  bool test = false;
  std::optional<int> test_listener_fd;

  Settings();
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
