#include <algorithm>
#include <limits>

#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {
namespace {

using namespace row;

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
          "File descriptor, 3 or higher, of an inherited listening loopback socket; requires TEST",
          parse,
          print,
          "none"};
}

Setting status_token() {
  constexpr std::size_t kBytesMin = 16;  // or it can be guessed
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    const auto is_fit = [](char c) { return c > ' ' && c < 0x7f; };
    if (text.size() < kBytesMin || !std::ranges::all_of(text, is_fit))
      return Complaint{"is not a token", "write at least 16 letters and digits"};
    settings.status_token = text;
    return std::nullopt;
  };
  const auto print = [](const Settings& settings) -> std::string {
    return settings.status_token.empty() ? "" : "(secret)";
  };
  return {"STATUS_TOKEN",
          Group::Observing,
          "text",
          "Bearer token for /metrics, /sync and /api/sync; without it a private service has none",
          parse,
          print,
          "none",
          true};
}

}  // namespace

void add_threads(std::vector<Setting>& rows) {
  constexpr std::uint64_t kThreadsMax = 256;  // more would only wait for each other
  rows.push_back(number("NETWORK_THREADS", Group::Threads, "Threads that serve connections",
                        FIELD(server.network_threads), 1, kThreadsMax));
  rows.push_back(number("VERIFY_THREADS", Group::Threads,
                        "Threads that check signatures; 0: one per core",
                        FIELD(ingest.verify_threads), 0, kThreadsMax));
  rows.push_back(number("QUERY_THREADS", Group::Threads, "Threads that read the database",
                        FIELD(query_threads), 1, kThreadsMax));
}

void add_observing(std::vector<Setting>& rows) {
  rows.push_back(common(log_level()));
  rows.push_back(choice("LOG_FORMAT", Group::Observing, "text|json",
                        "Log lines as text, or as one JSON object per line", FIELD(log_format)));
  rows.push_back(common(boolean("METRICS_ENABLED", Group::Observing,
                                "Serve /metrics for Prometheus", FIELD(metrics_enabled))));
  rows.push_back(status_token());
  rows.push_back(
      number("METRICS_CONNECTION_PER_IP_ABUSE_THRESHOLD", Group::Observing,
             "Connections from one address that metrics count as suspicious; not enforced",
             FIELD(clients.abuse_threshold)));
  rows.push_back(
      number("METRICS_TOP_N_REPOS", Group::Observing,
             "Repositories in the metrics of those that sent most bytes and take most disk space",
             FIELD(sizes.top)));
}

void add_testing(std::vector<Setting>& rows) {
  rows.push_back(boolean("TEST", Group::Testing, "Enable what only test suites need", FIELD(test)));
  rows.push_back(test_listener_fd());
}

}  // namespace graspd::app
