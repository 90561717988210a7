#include "load/options.h"

#include <charconv>
#include <functional>
#include <map>

#include "load/failure.h"

namespace graspd::load {
namespace {

constexpr std::string_view kUsage =
    "usage: graspd_load [option=value ...] [bare ingest query fanout negentropy idle]\n"
    "  --server=PATH       binary to load (the graspd of the same build)\n"
    "  --corpus=PATH       events, made when missing (build/corpus/events.jsonl)\n"
    "  --quick             small sizes: minutes become seconds, figures become rough\n"
    "  --repetitions=N --ingest-events=N --ingest-window=N --stored-events=N\n"
    "  --stored-events-large=N --subscribers=N --publications=N --idle-connections=N\n";

void make_quick(Options& options) {
  options.quick = true;
  options.repetitions = 1;
  options.ingest_events = 10'000;
  options.stored_events = 20'000;
  options.stored_events_large = 50'000;
  options.query_seconds = 0.5;
  options.subscribers = 500;
  options.other_subscriptions = 2'000;
  options.publications = 20;
  options.idle_connections = 2'000;
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    throw Failed("not a number: " + std::string(text));
  return value;
}

void set(Options& options, std::string_view name, std::string_view value) {
  const std::map<std::string_view, std::size_t*> numbers{
      {"--repetitions", &options.repetitions},
      {"--ingest-events", &options.ingest_events},
      {"--ingest-window", &options.ingest_window},
      {"--stored-events", &options.stored_events},
      {"--stored-events-large", &options.stored_events_large},
      {"--subscribers", &options.subscribers},
      {"--publications", &options.publications},
      {"--idle-connections", &options.idle_connections}};
  if (const auto found = numbers.find(name); found != numbers.end()) {
    *found->second = number(value);
  } else if (name == "--server") {
    options.server = std::filesystem::absolute(value);
  } else if (name == "--corpus") {
    options.corpus = std::filesystem::absolute(value);
  } else {
    throw Failed(std::string(kUsage));
  }
}

void take(Options& options, std::string_view argument) {
  if (!argument.starts_with("--")) {
    options.scenarios.emplace_back(argument);
  } else if (argument == "--quick") {
    make_quick(options);
  } else if (!argument.starts_with("--benchmark_")) {
    // Those are for the small benchmarks: scripts/bench hands its arguments to every program.
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) throw Failed(std::string(kUsage));
    set(options, argument.substr(0, equals), argument.substr(equals + 1));
  }
}

}  // namespace

Options read_options(int argc, char** argv) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  Options options;
  options.server = here.parent_path() / "graspd";
  options.corpus = here.parent_path().parent_path() / "corpus" / "events.jsonl";
  for (int i = 1; i < argc; ++i) take(options, argv[i]);
  return options;
}

}  // namespace graspd::load
