#include "load/scenario.h"

#include "load/measure.h"

namespace graspd::load {

const Corpus& Bench::corpus(std::size_t events) {
  if (!corpus_ || corpus_->size() < events)
    corpus_ = std::make_unique<Corpus>(options_.corpus, events);
  return *corpus_;
}

StockedServer::StockedServer(Bench& bench, std::size_t events) {
  constexpr double kImportSecondsMax = 900;
  const std::filesystem::path lines = scratch_.path() / "events.jsonl";
  bench.corpus(events).write_prefix(events, lines);
  const double begin = wall_seconds();
  import_cpu_seconds_ = run_to_end({bench.options().server, "import", lines.string()},
                                   server_environment(scratch_.path(), 7334),
                                   scratch_.path() / "import.log", kImportSecondsMax);
  import_wall_seconds_ = wall_seconds() - begin;
  std::filesystem::remove(lines);
  process_ = std::make_unique<ServerProcess>(bench.options().server, scratch_.path());
}

}  // namespace graspd::load
