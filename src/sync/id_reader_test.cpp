#include "sync/id_reader.h"

#include "gtest/gtest.h"
#include "sync/history_testing.h"

namespace graspd::sync {
namespace id_reader_test {

using namespace parts_testing;

struct Missing : HistoryBench {
  JobKey job = add({.method = Job::Method::Reconcile, .slices = {{}}});

  explicit Missing(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) ids.want(job, id(i));
    batches.find(job)->phase = Job::Phase::Fetching;
  }
  Wire sent() {
    EXPECT_TRUE(ids.send_wanted(now));
    return wires.take(take<Subscribe>().at(0).sub);
  }
  // Nothing of it came.
  IdReader::AfterLoss lose_all(std::uint32_t count) {
    IdReader::AfterLoss last{};
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const JobKey key : ids.lose(now, id(i))) last = ids.lost_one(key);
    }
    return last;
  }
};

TEST(IdReader, LooksUpWhatAnAnswerLeftOut) {  // R1
  Missing one(2);
  one.memory.gives_many = true;
  Wire wire = one.sent();
  EXPECT_EQ(wire.ids.size(), 2u);
  wire.ended = true;
  one.ids.ended(wire);
  EXPECT_EQ(one.take<LookUp>().size(), 1u);
  const auto missing = one.ids.looked_up({one.memory.id, Session{7}, {id(0)}});
  EXPECT_EQ(missing, std::vector{id(1)});
  EXPECT_FALSE(one.ids.looked_up({one.memory.id, Session{7}, {}}));
  EXPECT_TRUE(one.ids.lost_of(*missing).empty());  // once more
  one.sent();
  EXPECT_EQ(one.ids.lost_of(*missing), *missing);
}

TEST(IdReader, EndsAJobWithItsLastId) {
  Missing one(2);
  EXPECT_TRUE(one.ids.settle(id(0)).empty());
  EXPECT_EQ(one.ids.settle(id(1)), std::vector{one.job});
}

TEST(IdReader, AsksForFewerWhoGivesFewer) {  // R2
  Missing one(10);
  Wire wire = one.sent();
  for (std::uint32_t i = 0; i < 4; ++i) wire.ids.erase(id(i));
  wire.ended = true;
  wire.delivered = 4;
  one.ids.ended(wire);
  EXPECT_TRUE(one.take<LookUp>().empty());
  EXPECT_EQ(one.peer.budget.ids_per_fetch, 5u);
  EXPECT_EQ(one.batches.ids().queued(), 6u);
}

TEST(IdReader, PagesAJobThatHardlyAnyIdCameFor) {  // R3
  EXPECT_EQ(Missing(19).lose_all(19), IdReader::AfterLoss::Done);
  EXPECT_EQ(Missing(20).lose_all(20), IdReader::AfterLoss::Pages);
  EXPECT_EQ(Missing(1000).lose_all(1000), IdReader::AfterLoss::NoNegentropy);
}

TEST(IdReader, PagesWhatWaitsWhereIdsAreRefused) {  // R3
  Missing one(3);
  one.refusals.unwelcome(one.now, RequestClass::Ids, "blocked: no ids");
  EXPECT_FALSE(one.ids.send_wanted(one.now));
  EXPECT_EQ(one.batches.find(one.job)->method, Job::Method::Pages);
}

TEST(IdReader, AsksForTheLostWhenTheyAreDueAndOnceAtATime) {
  HistoryBench bench;
  bench.memory.lose(id(1), bench.now.instant + 30s);
  EXPECT_FALSE(bench.ids.send_lost(bench.now));
  bench.pass(30s);
  EXPECT_TRUE(bench.ids.send_lost(bench.now));
  bench.memory.lose(id(2), bench.now.instant);
  EXPECT_FALSE(bench.ids.send_lost(bench.now));
  bench.ids.recovered(id(1));
  EXPECT_EQ(bench.memory.meter.ids_recovered, 1u);
}

}  // namespace id_reader_test
}  // namespace graspd::sync
