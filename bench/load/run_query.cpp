#include <fmt/format.h>
#include <thread>

#include "core/rng.h"
#include "load/corpus_event.h"
#include "load/measure.h"
#include "load/questioner.h"
#include "load/scenario.h"
#include "load/syscall_counter.h"

namespace graspd::load {
namespace {

constexpr std::size_t kQuestions = 2'000, kConnections = 4;
constexpr double kStreamGoal = 300'000, kProbeGoalMs = 2;

struct Mix {
  std::string name;
  FrameTrain questions;
  bool streams = false;  // long answers: what counts is events per second
};

template <class MakeFilter>
Mix make_mix(std::string name, bool streams, MakeFilter&& make_filter) {
  Mix mix{std::move(name), {}, streams};
  core::Rng rng(7);
  for (std::size_t i = 0; i < kQuestions; ++i)
    mix.questions.append(fmt::format(R"(["REQ","q",{}])", make_filter(rng)));
  return mix;
}

std::string ids_filter(const Corpus& corpus, std::size_t stored, std::size_t count,
                       core::Rng& rng) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += fmt::format(R"({}"{}")", i == 0 ? "" : ",", corpus.id_hex(rng.below(stored)));
  return fmt::format(R"({{"ids":[{}]}})", list);
}

std::vector<Mix> make_mixes(const Corpus& corpus, std::size_t stored) {
  const World world;
  const auto author = [&](core::Rng& rng) {
    return world.author(rng.below(World::kAuthors)).public_key().hex();
  };
  std::vector<Mix> mixes;
  mixes.push_back(
      make_mix("1 id", false, [&](core::Rng& rng) { return ids_filter(corpus, stored, 1, rng); }));
  mixes.push_back(make_mix("100 ids", false,
                           [&](core::Rng& rng) { return ids_filter(corpus, stored, 100, rng); }));
  mixes.push_back(make_mix("#a", true, [&](core::Rng& rng) {
    return fmt::format(R"({{"#a":["{}"]}})", world.repository(rng.below(World::kRepositories)));
  }));
  mixes.push_back(make_mix("author+kind", true, [&](core::Rng& rng) {
    return fmt::format(R"({{"authors":["{}"],"kinds":[1111]}})", author(rng));
  }));
  mixes.push_back(make_mix("since, limit 500", false, [&](core::Rng& rng) {
    return fmt::format(R"({{"since":{},"limit":500}})", corpus.created_at(rng.below(stored)));
  }));
  return mixes;
}

// In a short run of its own: counting costs a little too.
std::optional<double> system_calls_per_event(ServerProcess& server, const Mix& mix) {
  const std::atomic<bool> never{false};
  const SyscallCounter counter(server.pid());
  const AnswerRun run = ask(server, mix.questions, {kConnections, 0.3, 0}, never);
  const std::optional<std::uint64_t> calls = counter.read();
  if (!calls) return std::nullopt;
  return static_cast<double>(*calls) / static_cast<double>(run.events);
}

void measure(Bench& bench, ServerProcess& server, const Mix& mix) {
  const std::atomic<bool> never{false};
  std::vector<double> rates, events, cpu, client, p50, p99;
  for (std::size_t i = 0; i < bench.options().repetitions; ++i) {
    const AnswerRun run =
        ask(server, mix.questions, {kConnections, bench.options().query_seconds, 0}, never);
    const auto count = static_cast<double>(run.events);
    rates.push_back(run.queries_per_second());
    events.push_back(run.events_per_second());
    cpu.push_back(run.server_cpu / count * 1e6);
    client.push_back(run.client_cpu / count * 1e6);
    p50.push_back(quantile(run.latencies, 0.5) * 1e3);
    p99.push_back(quantile(run.latencies, 0.99) * 1e3);
  }
  Report& report = bench.report();
  report.figure(mix.name + ": queries", median(rates), "1/s");
  report.figure(mix.name + ": events", median(events), "1/s",
                mix.streams ? at_least(kStreamGoal) : kNoGoal);
  report.figure(mix.name + ": server CPU per event", median(cpu), "µs");
  report.figure(mix.name + ": client CPU per event", median(client), "µs");
  if (const std::optional<double> calls = system_calls_per_event(server, mix))
    report.figure(mix.name + ": system calls per event", *calls, "");
  report.figure(mix.name + ": EOSE after, median", median(p50), "ms");
  report.figure(mix.name + ": EOSE after, p99", median(p99), "ms");
}

// One question by id after the other, on a thread of its own so that the stream's reader does not
// delay the reading of the clock.
void measure_probe(Bench& bench, ServerProcess& server, const Mix& probe, const Mix& background) {
  std::vector<double> p50, p99;
  for (std::size_t i = 0; i < bench.options().repetitions; ++i) {
    std::atomic<bool> stop{false};
    const double seconds = bench.options().query_seconds;
    AnswerRun probed;
    std::jthread prober(
        [&] { probed = ask(server, probe.questions, {1, seconds * 2, 0.0005}, stop); });
    ask(server, background.questions, {kConnections, seconds, 0}, stop);
    stop = true;
    prober.join();
    p50.push_back(quantile(probed.latencies, 0.5) * 1e3);
    p99.push_back(quantile(probed.latencies, 0.99) * 1e3);
  }
  const std::string name = "1 id beside " + background.name;
  bench.report().figure(name + ", median", median(p50), "ms");
  bench.report().figure(name + ", p99", median(p99), "ms", at_most(kProbeGoalMs));
}

}  // namespace

void run_query(Bench& bench) {
  const std::size_t stored = bench.options().stored_events;
  StockedServer server(bench, stored);
  bench.report().figure("import", static_cast<double>(stored) / server.import_wall_seconds(),
                        "events/s");
  bench.report().figure("import, CPU per event",
                        server.import_cpu_seconds() / static_cast<double>(stored) * 1e6, "µs");
  const std::vector<Mix> mixes = make_mixes(bench.corpus(stored), stored);
  for (const Mix& mix : mixes) measure(bench, *server, mix);
  for (const Mix& mix : mixes)
    if (mix.streams) measure_probe(bench, *server, mixes[0], mix);
}

}  // namespace graspd::load
