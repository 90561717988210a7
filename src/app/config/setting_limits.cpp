#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {

using namespace row;

void add_limits(std::vector<Setting>& rows) {
  const auto limit = [&](std::string_view name, std::string_view help, auto field) {
    rows.push_back(number(name, Group::Limits, help, field));
  };
  const auto size_limit = [&](std::string_view name, std::string_view help, auto field) {
    rows.push_back(size(name, Group::Limits, help, field));
  };
  limit("MAX_CONNECTIONS", "Connections at a time", FIELD(server.connections_max));
  limit("MAX_CONNECTIONS_PER_IP", "Connections at a time from one address",
        FIELD(connections_per_ip_max));
  size_limit("MAX_HELD_BYTES_PER_IP",
             "Memory for one address: its subscriptions, what it does not read or finish sending",
             FIELD(held_bytes_per_ip_max));
  size_limit("MAX_HELD_BYTES", "The same for all addresses together", FIELD(held_bytes_max));
  limit("RELAY_MAX_SUBSCRIPTIONS", "Open subscriptions of a connection",
        FIELD(limits.subscriptions));
  limit("MAX_FILTERS_PER_REQ", "Filters in one REQ", FIELD(limits.filters_per_request));
  size_limit("MAX_SUBSCRIPTION_BYTES", "Text of all open subscriptions of a connection",
             FIELD(limits.subscription_bytes));
  size_limit("MAX_MESSAGE_BYTES", "One message from a client", FIELD(limits.message_bytes));
  size_limit("RELAY_MAX_EVENT_SIZE_BYTES", "One event", FIELD(limits.event_bytes));
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
  size_limit("MAX_OUTBOUND_BYTES", "A reader this far behind has its subscriptions closed",
             FIELD(limits.outbound_bytes));
  limit("MAX_NEGENTROPY_SESSIONS", "Open NIP-77 sessions of a connection",
        FIELD(limits.negentropy_sessions));
  limit("MAX_NEGENTROPY_ITEMS", "Events in one NIP-77 session", FIELD(limits.negentropy_items));
  limit("MAX_CREATED_AT_AHEAD_SECS", "How far in the future an event may be dated",
        FIELD(limits.created_at_ahead_seconds));
}

void add_git_limits(std::vector<Setting>& rows) {
  rows.push_back(number("MAX_GIT_PROCESSES", Group::Limits,
                        "Git processes at a time for fetches and pushes; a quarter as many more "
                        "list refs",
                        FIELD(git_processes_max)));
  rows.push_back(number("MAX_GIT_PROCESSES_PER_IP", Group::Limits,
                        "Git processes at a time for one address, a quarter of all at most",
                        FIELD(git_processes_per_ip_max)));
  rows.push_back(seconds("GIT_QUEUE_TIMEOUT_SECS", Group::Limits,
                         "A git request waits so long for its turn, then gets 503",
                         FIELD(git_patience), Zero::MeansAtOnce));
  rows.push_back(size("GIT_MIN_BYTES_PER_SEC", Group::Limits,
                      "Git clients that send or read more slowly are cut off",
                      FIELD(git_rate_min)));
  rows.push_back(seconds("GIT_STALL_SECS", Group::Limits,
                         "How long a git client may send or read nothing, or be slower than that",
                         FIELD(git_stall_max)));
  rows.push_back(size("MAX_PACK_BYTES", Group::Limits, "One push", FIELD(pack_bytes_max)));
  rows.push_back(size("MAX_REPOSITORY_BYTES", Group::Limits, "One repository on disk",
                      FIELD(repository_bytes_max)));
  rows.push_back(size("MIN_FREE_DISK_BYTES", Group::Limits,
                      "With less free disk space pushes and events are refused",
                      FIELD(free_bytes_min)));
}

}  // namespace graspd::app
