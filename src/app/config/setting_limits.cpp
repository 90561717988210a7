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
  limit("MAX_CONNECTIONS", "Concurrent connections", FIELD(server.connections_max));
  limit("MAX_CONNECTIONS_PER_IP", "Concurrent connections from one address",
        FIELD(clients.connections_per_address));
  size_limit("MAX_HELD_BYTES_PER_IP",
             "Memory for one address: subscriptions, unread output, unfinished messages",
             FIELD(clients.held_bytes_per_address));
  size_limit("MAX_HELD_BYTES", "Memory for all addresses together", FIELD(clients.held_bytes));
  limit("RELAY_MAX_SUBSCRIPTIONS", "Open subscriptions per connection",
        FIELD(limits.subscriptions));
  limit("MAX_FILTERS_PER_REQ", "Filters in one REQ", FIELD(limits.filters_per_request));
  size_limit("MAX_SUBSCRIPTION_BYTES", "Total size of the open subscriptions of a connection",
             FIELD(limits.subscription_bytes));
  size_limit("MAX_MESSAGE_BYTES", "Size of one message from a client", FIELD(limits.message_bytes));
  size_limit("RELAY_MAX_EVENT_SIZE_BYTES", "Size of one event", FIELD(limits.event_bytes));
  limit("RELAY_FILTER_LIMIT",
        "Events returned per filter: the maximum, and the default if it has no limit",
        FIELD(limits.filter_limit));
  limit("MAX_EVENTS_PER_MINUTE", "Events per minute from one connection",
        FIELD(limits.events_per_minute));
  limit("MAX_EVENTS_PER_MINUTE_PER_IP", "Events per minute from one address",
        FIELD(clients.events_per_minute_per_address));
  limit("MAX_QUERIES_PER_MINUTE", "REQ, COUNT and NEG-OPEN per minute from one connection",
        FIELD(limits.queries_per_minute));
  limit("MAX_QUERIES_IN_FLIGHT", "Concurrent queries per connection; further ones wait",
        FIELD(limits.queries_in_flight));
  limit("MAX_AUTHS_PER_MINUTE", "AUTH attempts per minute from one connection",
        FIELD(limits.authentications_per_minute));
  size_limit("MAX_OUTBOUND_BYTES",
             "Unread output at which the subscriptions of a slow client are closed",
             FIELD(limits.outbound_bytes));
  limit("MAX_NEGENTROPY_SESSIONS", "Open NIP-77 sessions per connection",
        FIELD(limits.negentropy_sessions));
  limit("MAX_NEGENTROPY_ITEMS", "Events in one NIP-77 session", FIELD(limits.negentropy_items));
  limit("MAX_CREATED_AT_AHEAD_SECS", "How far in the future an event may be dated",
        FIELD(limits.created_at_ahead_seconds));
}

void add_git_limits(std::vector<Setting>& rows) {
  rows.push_back(number("MAX_GIT_PROCESSES", Group::Limits,
                        "Concurrent git processes for fetches and pushes; listing refs has a "
                        "quarter as many of its own",
                        FIELD(git.slots.processes_max)));
  rows.push_back(number("MAX_GIT_PROCESSES_PER_IP", Group::Limits,
                        "Concurrent git processes for one address, at most a quarter of all",
                        FIELD(git.slots.processes_per_ip_max)));
  rows.push_back(seconds("GIT_QUEUE_TIMEOUT_SECS", Group::Limits,
                         "How long a git request waits for a free process before it gets 503",
                         FIELD(git.slots.patience), Zero::MeansAtOnce));
  rows.push_back(size("GIT_MIN_BYTES_PER_SEC", Group::Limits,
                      "Minimum transfer rate of git clients; slower ones are disconnected",
                      FIELD(git.rate_min.bytes_per_second)));
  rows.push_back(seconds("GIT_STALL_SECS", Group::Limits,
                         "How long a git client may stall or stay below that rate",
                         FIELD(git.rate_min.grace)));
  rows.push_back(common(size("MAX_PACK_BYTES", Group::Limits, "Size of one push",
                             FIELD(host.hosting.receive.pack_bytes_max))));
  rows.push_back(common(size("MAX_REPOSITORY_BYTES", Group::Limits, "Disk space of one repository",
                             FIELD(host.hosting.repository_bytes_max))));
  rows.push_back(common(size("MIN_FREE_DISK_BYTES", Group::Limits,
                             "Free disk space below which pushes and events are rejected",
                             FIELD(free_bytes_min))));
}

void add_git_process(std::vector<Setting>& rows) {
  rows.push_back(
      size("GIT_MAX_MEMORY_BYTES", Group::Limits,
           "Memory of one git process; a history of ten million objects needs twice the default",
           FIELD(host.git_process.memory_bytes_max)));
  rows.push_back(size(
      "GIT_TOTAL_MEMORY_BYTES", Group::Limits,
      "Memory of all git processes together; requests wait for it; 0: half of the machine's memory",
      FIELD(git.memory.budget)));
  rows.push_back(number("GIT_MAX_CPU_SECS", Group::Limits, "Processor time of one git process",
                        FIELD(host.git_process.cpu_seconds_max)));
  rows.push_back(
      size("GIT_MAX_FILE_BYTES", Group::Limits,
           "Size of one file that git writes; repacking writes a whole repository into one",
           FIELD(host.git_process.file_bytes_max)));
  rows.push_back(number("GIT_MAX_OPEN_FILES", Group::Limits, "Open files per git process",
                        FIELD(host.git_process.files_max)));
}

}  // namespace graspd::app
