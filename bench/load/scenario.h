// The scenarios, and what each is given. Each starts servers of its own and leaves nothing behind.
#pragma once
#include <array>
#include <memory>
#include <string_view>

#include "load/corpus.h"
#include "load/options.h"
#include "load/report.h"
#include "load/server_process.h"

namespace graspd::load {

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}

  const Options& options() const { return options_; }
  Report& report() { return report_; }
  const Corpus& corpus(std::size_t events);

 private:
  Options options_;
  Report report_;
  std::unique_ptr<Corpus> corpus_;
};

// A server whose store holds the first `events` of the corpus.
class StockedServer {
 public:
  StockedServer(Bench& bench, std::size_t events);
  ServerProcess& operator*() { return *process_; }
  ServerProcess* operator->() { return process_.get(); }
  double import_wall_seconds() const { return import_wall_seconds_; }
  double import_cpu_seconds() const { return import_cpu_seconds_; }

 private:
  ScratchDirectory scratch_;
  double import_wall_seconds_ = 0, import_cpu_seconds_ = 0;
  std::unique_ptr<ServerProcess> process_;
};

void run_bare(Bench& bench);
void run_ingest(Bench& bench);
void run_query(Bench& bench);
void run_fanout(Bench& bench);
void run_negentropy(Bench& bench);
void run_idle(Bench& bench);

struct Scenario {
  std::string_view name;
  void (*run)(Bench&);
};
inline constexpr std::array<Scenario, 6> kScenarios{{{"bare", run_bare},
                                                     {"ingest", run_ingest},
                                                     {"query", run_query},
                                                     {"fanout", run_fanout},
                                                     {"negentropy", run_negentropy},
                                                     {"idle", run_idle}}};

}  // namespace graspd::load
