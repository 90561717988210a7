// For tests of the parts that read history: batches on one connected relay.
#pragma once
#include <utility>

#include "sync/history_reader.h"
#include "sync/parts_testing.h"

namespace graspd::sync::parts_testing {

struct HistoryBench : Bench {
  Batches batches{peer};
  AnswerTrust trust{peer, wires, batches};
  NoTurns turns;
  Books books{peer, wires, batches, trust, turns, now};
  PageProofs proofs{peer, wires, batches};
  JobRequests requests{peer, wires, batches, trust, proofs};
  JobRemedies remedies{peer, batches, books};
  IdReader ids{peer, wires, batches};

  explicit HistoryBench(Options options = {}) : Bench(std::move(options)) {}

  JobKey add(Job job) {
    Batch batch{.kind = Batch::Kind::CatchUp};
    for (const Slice& one : job.slices) batch.ledger.owe(one, job.window);
    batch.add(std::move(job));
    return {batches.add(std::move(batch)), 0};
  }
  JobKey add_to(std::uint32_t batch, Job job) {
    Batch& to = batches.at(batch);
    for (const Slice& one : job.slices) to.ledger.owe(one, job.window);
    to.add(std::move(job));
    return {batch, to.next_job - 1};
  }
  EventArrived arrival(std::uint32_t number, std::uint64_t matched = 1) const {
    return {memory.id, Session{7}, Sub{1}, id(number), 5, matched, {}};
  }
};

inline Job page_job(std::uint32_t value, bool brought_nothing = false) {
  return {.method = Job::Method::Pages,
          .slices = {slice(FilterClass::RootE, 1, value)},
          .brought_nothing = brought_nothing};
}

}  // namespace graspd::sync::parts_testing
