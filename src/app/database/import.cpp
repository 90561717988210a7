#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "app/base/progress.h"
#include "app/base/standard_input.h"
#include "app/database/database.h"
#include "app/database/database_commands.h"
#include "app/database/import_pipeline.h"
#include "app/server/wiring.h"
#include "core/counted.h"
#include "net/clock.h"

namespace graspd::app {
namespace {

std::string summary(const ImportReport& report) {
  return fmt::format(
      "{}: {} stored, {} duplicate, {} superseded, {} deleted, {} vanished, {} expired, "
      "{} ephemeral, {} refused, {} invalid",
      core::counted(report.lines, "line"), report.stored, report.duplicate, report.superseded,
      report.deleted, report.vanished, report.expired, report.ephemeral, report.refused,
      report.invalid);
}

core::Result<ImportReport, store::StoreError> import_from(std::istream& in,
                                                          const Settings& settings,
                                                          store::EventStore& store) {
  Progress progress;
  const auto disk = free_disk(settings);
  return import_lines(in, {.store = store,
                           .self = service_url(settings, settings.bind_port),
                           .threads = verify_threads(settings),
                           .now = [] { return net::now().unix_seconds; },
                           .limits = settings.limits,
                           .is_low_on_disk = [disk] { return disk->is_low(); },
                           .progress =
                               [&](const ImportReport& report) {
                                 progress.tick([&] { return summary(report); });
                               }});
}

}  // namespace

int import_events(const Settings& settings, const ImportOptions& options) {
  std::ifstream file;
  if (!is_stream(options.file)) {
    file.open(options.file, std::ios::binary);
    if (!file) return fail(fmt::format("cannot read {}", options.file));
  }
  const auto store = open_database(settings, Access::Write);
  if (!store) return fail(store.error());
  std::ios::sync_with_stdio(false);
  std::istream& in = is_stream(options.file) ? std::cin : file;
  const auto report = import_from(in, settings, **store);
  if (const auto low = free_disk(settings)->low(); !report && low)
    return fail(fmt::format("the import stopped: {}; what was stored is kept, run it again later",
                            serve::describe(*low, settings.free_bytes_min)));
  if (!report) {
    return fail(fmt::format("the import stopped: {}; what was stored is kept, run it again later",
                            store::describe(report.error())));
  }
  for (const BadLine& bad : report->first_bad) {
    fmt::print(stderr, "line {}: {}\n", bad.number, bad.reason);
  }
  fmt::print(stderr, "{}\n", summary(*report));
  if (in.bad()) {
    return fail(fmt::format("reading {} failed before its end; what was stored is kept",
                            is_stream(options.file) ? "the input" : options.file));
  }
  return report->invalid == 0 ? 0 : 1;
}

}  // namespace graspd::app
