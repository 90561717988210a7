#include "app/setting_table.h"

#include <fmt/format.h>
#include <limits>
#include <utility>
#include <vector>

#include "app/owner_key.h"
#include "app/setting_archive.h"
#include "app/setting_git_process.h"
#include "app/setting_row.h"
#include "app/setting_sync.h"
#include "app/setting_trays.h"
#include "core/check.h"
#include "git/ref_name.h"

namespace graspd::app {
namespace {

using Rows = std::vector<Setting>;
using namespace row;

Setting domain() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_domain(text), [&](std::string value) { settings.domain = std::move(value); });
  };
  return {"DOMAIN",
          Group::Identity,
          "host[:port]",
          "Name under which clients reach the service",
          parse,
          [](const Settings& settings) { return settings.domain; },
          "the bind address"};
}

Setting base_path() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_base_path(text),
                [&](std::string value) { settings.base_path = std::move(value); });
  };
  return {"BASE_PATH", Group::Identity,
          "path",      "Path under which the service is mounted",
          parse,       [](const Settings& settings) { return settings.base_path; }};
}

Setting owner_nsec() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    settings.owner_secret = parse_secret(text);
    if (settings.owner_secret) return std::nullopt;
    return Complaint{"is not a secret key", "write the nsec1… of the relay's owner, or remove it"};
  };
  const auto print = [](const Settings& settings) -> std::string {
    return settings.owner_secret ? "(secret)" : "";
  };
  return {"RELAY_OWNER_NSEC",
          Group::Identity,
          "nsec",
          "Secret key of the relay's owner; no flag, better a credential or a file",
          parse,
          print,
          "see OWNER_NSEC_FILE",
          true};
}

Setting bind_address_row() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_socket_address(text), [&](const SocketAddress& address) {
      settings.bind_ip = address.ip;
      settings.bind_port = address.port;
    });
  };
  const auto print = [](const Settings& settings) {
    return bind_address(settings, settings.bind_port);
  };
  return {"BIND_ADDRESS", Group::Network, "ip:port", "Where to listen; port 0 takes a free one",
          parse,          print};
}

Setting trusted_proxies() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_cidrs(text), [&](std::vector<core::Cidr> networks) {
      settings.trusted_proxies = std::move(networks);
      settings.trusted_proxies_text = text;
    });
  };
  return {"TRUSTED_PROXY_CIDRS",
          Group::Network,
          "networks",
          "Proxies whose X-Forwarded-For, Forwarded or X-Real-IP is believed, comma-separated",
          parse,
          [](const Settings& settings) { return settings.trusted_proxies_text; },
          "none"};
}

Setting log_level() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_log_level(text),
                [&](std::optional<core::log::Level> level) { settings.log_level = level; });
  };
  const auto print = [](const Settings& settings) {
    return std::string(log_level_name(settings.log_level));
  };
  return {"LOG_LEVEL",
          Group::Observing,
          "level",
          "trace, debug, info, warn, error or off; also a filter such as warn,ngit_grasp=debug",
          parse,
          print};
}

Setting test_listener_fd() {
  constexpr int kFirstInherited = 3;
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_number(text, kFirstInherited, std::numeric_limits<int>::max()),
                [&](std::uint64_t fd) { settings.test_listener_fd = static_cast<int>(fd); });
  };
  const auto print = [](const Settings& settings) {
    return settings.test_listener_fd ? std::to_string(*settings.test_listener_fd) : std::string();
  };
  return {"TEST_LISTENER_FD",
          Group::Testing,
          "number",
          "Inherited listening loopback socket to serve on, 3 or more; only with TEST",
          parse,
          print,
          "none"};
}

void add_identity(Rows& rows) {
  rows.push_back(domain());
  rows.push_back(base_path());
  rows.push_back(words("RELAY_NAME", Group::Identity, "text", "Name shown to people (NIP-11)",
                       FIELD(relay_name), "DOMAIN grasp relay"));
  rows.push_back(words("RELAY_DESCRIPTION", Group::Identity, "text",
                       "What the relay is for, in a sentence (NIP-11)", FIELD(relay_description)));
  rows.push_back(words("RELAY_CONTACT", Group::Identity, "text",
                       "How to reach the operator: mailto: or https: (NIP-11)",
                       FIELD(relay_contact), "none"));
  rows.push_back(owner_nsec());
  rows.push_back(words("OWNER_NSEC_FILE", Group::Identity, "path",
                       "File that holds the owner's secret key; made when absent",
                       FIELD(owner_nsec_file), ".relay-owner.nsec"));
}

void add_network(Rows& rows) {
  constexpr auto kGroup = Group::Network;
  rows.push_back(bind_address_row());
  rows.push_back(trusted_proxies());
  rows.push_back(boolean("COMPRESSION", kGroup, "Offer permessage-deflate to clients",
                         FIELD(server.compression)));
  rows.push_back(seconds("PING_INTERVAL_SECS", kGroup, "Between pings to a client; 0: no pings",
                         FIELD(server.ping_interval)));
  rows.push_back(seconds("IDLE_TIMEOUT_SECS", kGroup,
                         "A client not heard for so long, not even a pong, is dropped; 0: never",
                         FIELD(server.idle_timeout)));
  rows.push_back(seconds("HANDSHAKE_TIMEOUT_SECS", kGroup,
                         "Time to send a whole request header; 0: any",
                         FIELD(server.handshake_timeout)));
  rows.push_back(seconds("SHUTDOWN_DRAIN_SECS", kGroup,
                         "Time for clients to finish when the server stops", FIELD(shutdown_drain),
                         Zero::MeansAtOnce));
}

void add_storage(Rows& rows) {
  rows.push_back(choice("ACCEPT", Group::Storage, "grasp|open",
                        "What is taken: what belongs to repositories hosted here, or everything",
                        FIELD(acceptance)));
  rows.push_back(words("RELAY_DATA_PATH", Group::Storage, "path", "Folder of the event database",
                       FIELD(relay_data_path)));
  rows.push_back(words("GIT_DATA_PATH", Group::Storage, "path",
                       "Folder of the repositories, as <npub>/<identifier>.git",
                       FIELD(git_data_path)));
  rows.push_back(choice("DATABASE_BACKEND", Group::Storage, "lmdb|memory",
                        "Where events live; memory forgets them at the end", FIELD(backend)));
  rows.push_back(boolean("DATABASE_SYNC", Group::Storage,
                         "Wait for the disk before saying OK; false risks the last seconds",
                         FIELD(database_sync)));
}

Setting unborn_branch() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    if (!git::RefName::parse(fmt::format("refs/heads/{}", text)))
      return Complaint{"is not a branch name", "write one such as master or main"};
    settings.unborn_branch = text;
    return std::nullopt;
  };
  return {"UNBORN_BRANCH", Group::Repositories,
          "branch",        "What HEAD names in a repository without data",
          parse,           [](const Settings& settings) { return settings.unborn_branch; }};
}

void add_repositories(Rows& rows) {
  constexpr auto kGroup = Group::Repositories;
  const auto list = [&](std::string_view name, std::string_view type, std::string_view help,
                        auto field) {
    rows.push_back(words(name, kGroup, type, help, field, "none"));
  };
  list("REPOSITORY_WHITELIST", "entries",
       "Only these are hosted: npub, npub/identifier or identifier, comma-separated",
       FIELD(repository_whitelist));
  list("REPOSITORY_BLACKLIST", "entries", "These are never hosted; entries as above",
       FIELD(repository_blacklist));
  list("EVENT_BLACKLIST", "npubs", "Authors whose events are refused, comma-separated",
       FIELD(event_blacklist));
  add_archive(rows);
  add_trays(rows);
  rows.push_back(choice("MAINTAINERSHIP", kGroup, "compatible|reciprocal",
                        "Are those named by an older maintainers tag members at once, or only "
                        "when they name a member back",
                        FIELD(maintainership)));
  rows.push_back(boolean("STRICT_CLONE_URLS", kGroup,
                         "Clone URLs that name this service must also name the repository",
                         FIELD(clone_path_must_name_repository)));
  rows.push_back(unborn_branch());
  rows.push_back(seconds("PURGATORY_EXPIRY_SECS", kGroup, "Time for git data to follow an event",
                         FIELD(purgatory_patience), Zero::MeansAtOnce));
  rows.push_back(seconds("UNSIGNED_UPLOAD_EXPIRY_SECS", kGroup,
                         "Time for an event to follow git data pushed to refs/nostr",
                         FIELD(upload_patience), Zero::MeansAtOnce));
  rows.push_back(seconds("DELETED_REPOSITORY_GRACE_SECS", kGroup,
                         "Data of a deleted repository is kept so long", FIELD(removal_grace),
                         Zero::MeansAtOnce));
}

void add_git_limits(Rows& rows) {
  rows.push_back(number("MAX_GIT_PROCESSES", Group::Limits, "Git processes at a time",
                        FIELD(git_processes_max)));
  rows.push_back(number("MAX_GIT_PROCESSES_PER_IP", Group::Limits,
                        "Git processes at a time for one address",
                        FIELD(git_processes_per_ip_max)));
  rows.push_back(seconds("GIT_QUEUE_TIMEOUT_SECS", Group::Limits,
                         "A git request waits so long for its turn, then gets 503",
                         FIELD(git_patience), Zero::MeansAtOnce));
  rows.push_back(number("MAX_PACK_BYTES", Group::Limits, "One push", FIELD(pack_bytes_max)));
  rows.push_back(number("MAX_REPOSITORY_BYTES", Group::Limits, "One repository on disk",
                        FIELD(repository_bytes_max)));
  rows.push_back(number("MIN_FREE_DISK_BYTES", Group::Limits,
                        "With less free disk space pushes are refused", FIELD(free_bytes_min)));
}

void add_limits(Rows& rows) {
  const auto limit = [&](std::string_view name, std::string_view help, auto field) {
    rows.push_back(number(name, Group::Limits, help, field));
  };
  limit("MAX_CONNECTIONS", "Connections at a time", FIELD(server.connections_max));
  limit("MAX_CONNECTIONS_PER_IP", "Connections at a time from one address",
        FIELD(connections_per_ip_max));
  limit("MAX_HELD_BYTES_PER_IP",
        "Memory for one address: its subscriptions, what it does not read or finish sending",
        FIELD(held_bytes_per_ip_max));
  limit("MAX_HELD_BYTES", "The same for all addresses together", FIELD(held_bytes_max));
  limit("RELAY_MAX_SUBSCRIPTIONS", "Open subscriptions of a connection",
        FIELD(limits.subscriptions));
  limit("MAX_FILTERS_PER_REQ", "Filters in one REQ", FIELD(limits.filters_per_request));
  limit("MAX_SUBSCRIPTION_BYTES", "Text of all open subscriptions of a connection",
        FIELD(limits.subscription_bytes));
  limit("MAX_MESSAGE_BYTES", "One message from a client", FIELD(limits.message_bytes));
  limit("RELAY_MAX_EVENT_SIZE_BYTES", "One event", FIELD(limits.event_bytes));
  limit("RELAY_FILTER_LIMIT", "Events a filter brings: most, and when it names no limit",
        FIELD(limits.filter_limit));
  limit("MAX_EVENTS_PER_MINUTE", "Events from a connection", FIELD(limits.events_per_minute));
  limit("MAX_EVENTS_PER_MINUTE_PER_IP", "Events from one address", FIELD(events_per_minute_per_ip));
  limit("MAX_QUERIES_PER_MINUTE", "REQ, COUNT and NEG-OPEN from a connection",
        FIELD(limits.queries_per_minute));
  limit("MAX_QUERIES_IN_FLIGHT", "Queries of a connection read at a time; others wait",
        FIELD(limits.queries_in_flight));
  limit("MAX_AUTHS_PER_MINUTE", "AUTH attempts of a connection",
        FIELD(limits.authentications_per_minute));
  limit("MAX_OUTBOUND_BYTES", "A reader this far behind has its subscriptions closed",
        FIELD(limits.outbound_bytes));
  limit("MAX_NEGENTROPY_SESSIONS", "Open NIP-77 sessions of a connection",
        FIELD(limits.negentropy_sessions));
  limit("MAX_NEGENTROPY_ITEMS", "Events in one NIP-77 session", FIELD(limits.negentropy_items));
  limit("MAX_CREATED_AT_AHEAD_SECS", "How far in the future an event may be dated",
        FIELD(limits.created_at_ahead_seconds));
}

void add_threads(Rows& rows) {
  constexpr std::uint64_t kThreadsMax = 256;  // more would only wait for each other
  rows.push_back(number("NETWORK_THREADS", Group::Threads, "Threads that serve connections",
                        FIELD(server.network_threads), 1, kThreadsMax));
  rows.push_back(number("VERIFY_THREADS", Group::Threads,
                        "Threads that check signatures; 0: one per core", FIELD(verify_threads), 0,
                        kThreadsMax));
  rows.push_back(number("QUERY_THREADS", Group::Threads, "Threads that read the database",
                        FIELD(query_threads), 1, kThreadsMax));
}

void add_observing(Rows& rows) {
  rows.push_back(log_level());
  rows.push_back(choice("LOG_FORMAT", Group::Observing, "text|json",
                        "Log lines for people, or one JSON object a line", FIELD(log_format)));
  rows.push_back(boolean("METRICS_ENABLED", Group::Observing, "Serve /metrics for Prometheus",
                         FIELD(metrics_enabled)));
  rows.push_back(number("METRICS_CONNECTION_PER_IP_ABUSE_THRESHOLD", Group::Observing,
                        "Connections from one address that count as suspicious; only watched",
                        FIELD(connections_per_ip_abuse_threshold)));
  rows.push_back(number("METRICS_TOP_N_REPOS", Group::Observing,
                        "Repositories in the list of those that sent most bytes",
                        FIELD(metrics_top_repositories)));
}

void add_testing(Rows& rows) {
  rows.push_back(boolean("TEST", Group::Testing, "Allow what only test suites need", FIELD(test)));
  rows.push_back(test_listener_fd());
}

Rows make_table() {
  Rows rows;
  add_identity(rows);
  add_network(rows);
  add_storage(rows);
  add_repositories(rows);
  add_sync(rows);
  add_git_fetch(rows);
  add_limits(rows);
  add_git_limits(rows);
  add_git_process(rows);
  add_threads(rows);
  add_observing(rows);
  add_testing(rows);
  return rows;
}

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::Identity:
      return "Identity";
    case Group::Network:
      return "Network";
    case Group::Storage:
      return "Storage";
    case Group::Repositories:
      return "Repositories";
    case Group::Sync:
      return "Proactive sync";
    case Group::Limits:
      return "Limits (0: none)";
    case Group::Threads:
      return "Threads";
    case Group::Observing:
      return "Logs and metrics";
    case Group::Testing:
      return "Testing";
  }
  CHECK(false);
}

std::string Setting::variable() const { return fmt::format("NGIT_{}", name); }

std::string Setting::flag() const {
  if (secret) return {};
  std::string text = "--";
  for (const char c : name) {
    text += c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

std::span<const Setting> setting_table() {
  static const Rows kTable = make_table();
  return kTable;
}

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : setting_table()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

std::string default_of(const Setting& setting) {
  if (!setting.default_text.empty()) return std::string(setting.default_text);
  return setting.print(Settings());
}

std::optional<std::string> contradiction(const Settings& settings) {
  const net::ServerOptions& server = settings.server;
  const relay::Limits& limits = settings.limits;
  if (limits.message_bytes > 0 && limits.event_bytes > limits.message_bytes) {
    return fmt::format(
        "NGIT_RELAY_MAX_EVENT_SIZE_BYTES ({}) is above NGIT_MAX_MESSAGE_BYTES ({}): an event comes "
        "in one message; lower the first or raise the second",
        limits.event_bytes, limits.message_bytes);
  }
  if (server.ping_interval != kNever && server.ping_interval >= server.idle_timeout) {
    return "NGIT_PING_INTERVAL_SECS is not below NGIT_IDLE_TIMEOUT_SECS: quiet clients would be "
           "dropped before they are asked; lower the first or raise the second";
  }
  if (settings.test_listener_fd && !settings.test) {
    return "NGIT_TEST_LISTENER_FD is set without NGIT_TEST: it is for test suites only; set "
           "NGIT_TEST=1 or remove it";
  }
  if (auto unreadable = unreadable_whitelist(settings)) return unreadable;
  return archive_contradiction(settings);
}

}  // namespace graspd::app
