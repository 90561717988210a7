#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "load/hub.h"
#include "load/measure.h"
#include "load/scenario.h"

namespace graspd::load {
namespace {

constexpr double kConnectingSecondsMax = 60, kWatchSeconds = 2;
constexpr double kMiB = 1024 * 1024, kKiB = 1024;

std::string subscription_frame(std::size_t number) {
  std::string frame;
  append_client_frame(
      frame, Opcode::Text,
      fmt::format(R"(["REQ","idle",{{"kinds":[1621],"#a":["30617:{:064x}:idle"]}}])", number));
  return frame;
}

void connect_and_subscribe(Hub& hub, const ServerProcess& server, std::size_t count) {
  // One source address has about 28,000 ports, and those of the last run rest for a minute.
  constexpr std::size_t kPerSource = 10'000;
  std::size_t unanswered = 0;
  for (std::size_t i = hub.size(); i < count; ++i, ++unanswered) {
    const auto source = static_cast<std::uint8_t>(1 + i / kPerSource);
    hub.send(hub.add({server.port(), source}), subscription_frame(i));
  }
  const Deadline deadline(kConnectingSecondsMax);
  while (unanswered > 0) {
    if (deadline.passed()) throw Failed("no EOSE");
    hub.poll(1000, [&](std::size_t, std::string_view) { --unanswered; });
  }
}

double cpu_share(const ServerProcess& server) {
  const double begin = server.cpu_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(kWatchSeconds));
  return (server.cpu_seconds() - begin) / kWatchSeconds;
}

}  // namespace

void run_idle(Bench& bench) {
  const ScratchDirectory scratch;
  ServerProcess server(bench.options().server, scratch.path());
  Report& report = bench.report();
  const auto empty = static_cast<double>(server.resident_bytes());
  report.figure("RSS of the empty server", empty / kMiB, "MiB", at_most(60));

  Hub hub;
  for (const std::size_t count :
       {bench.options().idle_connections / 10, bench.options().idle_connections}) {
    const double begin = wall_seconds();
    const std::size_t before = hub.size();
    connect_and_subscribe(hub, server, count);
    const double seconds = wall_seconds() - begin;
    const std::string what = fmt::format("{} connections: ", count);
    report.figure(what + "connect and subscribe", static_cast<double>(count - before) / seconds,
                  "1/s");
    const double busy = cpu_share(server);
    const auto resident = static_cast<double>(server.resident_bytes());
    report.figure(what + "RSS", resident / kMiB, "MiB");
    report.figure(what + "RSS per connection",
                  (resident - empty) / static_cast<double>(count) / kKiB, "KiB", at_most(24));
    report.figure(what + "CPU at rest", busy * 100, "% of a core");
  }
}

}  // namespace graspd::load
