#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <optional>
#include <unistd.h>

#include "app/base/progress.h"
#include "app/base/standard_input.h"
#include "app/database/database.h"
#include "app/database/database_commands.h"
#include "app/database/export_lines.h"
#include "core/counted.h"
#include "core/escaped.h"
#include "net/clock.h"
#include "nostr/json.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

Result<std::optional<nostr::Filter>, std::string> parse_filter(const std::string& text) {
  if (text.empty()) return std::optional<nostr::Filter>();
  auto filter = nostr::JsonReader().filter(text);
  if (!filter) {
    return Failure{fmt::format("--filter: {}; write a NIP-01 filter such as {{\"kinds\":[1]}}",
                               filter.error())};
  }
  return std::optional<nostr::Filter>(*std::move(filter));
}

// A file gets the events as they were sent; a terminal nothing that would command it.
enum class Reader { Program, Person };

Result<std::uint64_t, std::string> write_to(std::ostream& out, Reader to,
                                            const store::EventStore& store,
                                            const std::optional<nostr::Filter>& filter) {
  Progress progress;
  const ExportContext context{
      .store = store,
      .now = net::now().unix_seconds,
      .write =
          [&](std::string_view json) {
            if (to == Reader::Person)
              return static_cast<bool>(out << core::escaped_json(json) << '\n');
            return static_cast<bool>(out << json << '\n');
          },
      .progress =
          [&](std::uint64_t events) {
            progress.tick([&] { return core::counted(events, "event") + " exported"; });
          },
  };
  auto events = filter ? export_matching(context, *filter) : export_all(context);
  if (events && !out.flush()) return Failure{std::string("cannot write the output")};
  return events;
}

}  // namespace

int export_events(const Settings& settings, const ExportOptions& options) {
  const auto filter = parse_filter(options.filter);
  if (!filter) return fail(filter.error());
  const auto store = open_database(settings, Access::Read);
  if (!store) return fail(store.error());
  std::ofstream file;
  if (!is_stream(options.file)) {
    file.open(options.file, std::ios::binary | std::ios::trunc);
    if (!file) return fail(fmt::format("cannot write to {}", options.file));
  }
  std::ios::sync_with_stdio(false);
  std::ostream& out = is_stream(options.file) ? std::cout : file;
  const bool on_screen = is_stream(options.file) && ::isatty(STDOUT_FILENO) == 1;
  const auto events = write_to(out, on_screen ? Reader::Person : Reader::Program, **store, *filter);
  if (!events) return fail(events.error());
  fmt::print(stderr, "{} exported\n", core::counted(*events, "event"));
  return 0;
}

}  // namespace graspd::app
