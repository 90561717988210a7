#include "sync/page_proofs.h"

#include "gtest/gtest.h"
#include "sync/history_testing.h"

namespace graspd::sync {
namespace page_proofs_test {

using namespace parts_testing;
using End = PageRead::End;

// Three filters that a sweep brought nothing for.
struct Proving : HistoryBench {
  std::vector<JobKey> jobs{add(page_job(0, true))};

  Proving() {
    for (std::uint32_t i = 0; i < 3; ++i) context.index.add_root(id(100 + i), {}, 0);
    jobs.push_back(add_to(jobs[0].batch, page_job(1, true)));
    jobs.push_back(add_to(jobs[0].batch, page_job(2, true)));
  }
  Wire send() {
    EXPECT_TRUE(requests.send_next(now));
    return wires.take(take<Subscribe>().at(0).sub);
  }
};

TEST(PageProofs, AskForWhatLiesBelowSeveralReads) {  // R1
  Proving one;
  const auto all = [](const Job&) { return true; };
  EXPECT_EQ(one.proofs.sharing_with(one.jobs[0], all), one.jobs);
  const Wire wire = one.send();
  EXPECT_EQ(wire.purpose, Wire::Purpose::Proof);
  EXPECT_EQ(wire.sharing, one.jobs);
  EXPECT_EQ(wire.end, End::EmptyPage);
  EXPECT_TRUE(one.proofs.is_proved(wire));
}

TEST(PageProofs, ShareNoMoreThanTheRelayTakes) {  // R1
  Proving one;
  one.peer.budget.filters_per_req = 2;
  EXPECT_EQ(one.proofs.sharing_with(one.jobs[0], [](const Job&) { return true; }).size(), 2u);
  EXPECT_EQ(one.proofs.sharing_with(one.jobs[0], [](const Job&) { return false; }).size(), 1u);
}

TEST(PageProofs, OfAnEdgeNeedAllThatIsKnownAndNothingNew) {  // R2
  HistoryBench bench;
  Wire wire;
  wire.end = End::NothingNew;
  wire.repeats = {id(1)};
  bench.memory.answers.saw(50);
  bench.proofs.arrived(wire, bench.arrival(1, 0b10));
  wire.arrived = 1;
  EXPECT_TRUE(bench.proofs.is_proved(wire));
  wire.arrived = 50;  // as large as its answers get
  EXPECT_FALSE(bench.proofs.is_proved(wire));
}

TEST(PageProofs, AreRefutedByAnythingBelow) {  // R3
  Proving one;
  Wire wire = one.send();
  one.proofs.arrived(wire, one.arrival(9));
  EXPECT_FALSE(one.proofs.is_proved(wire));
  one.proofs.read_alone(wire);
  for (const JobKey key : one.jobs) {
    EXPECT_EQ(one.batches.find(key)->phase, Job::Phase::Ready);
    EXPECT_TRUE(one.batches.find(key)->alone);
  }
  EXPECT_EQ(one.send().purpose, Wire::Purpose::Page);
}

}  // namespace page_proofs_test
}  // namespace graspd::sync
