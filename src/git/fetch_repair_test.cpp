// What is looked for again and again: repairs, and what new sources change.
#include <gtest/gtest.h>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {
namespace scheduler_repair_test {

using namespace std::chrono_literals;
using namespace words;

TEST(FetchScheduler, StartsAfreshWhenAnotherSourceIsNamed) {
  Bench bench;
  Wanted wanted = state(oids(1, 1), {kGrasp});
  wanted.reason = Reason::Repair;
  bench.step(wanted);
  for (int pass = 0; pass < 6; ++pass) {  // by now it would be tried once in half an hour
    const auto reads = only<ReadAdvertisement>(bench.wait(1h));
    for (const auto& reading : reads)
      bench.step(unread(reading.attempt, FetchFailure::Unreachable));
  }
  EXPECT_TRUE(only<ReadAdvertisement>(bench.wait(1min)).empty());
  wanted.sources = {kGrasp, kForge};
  bench.step(wanted);
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1s)).size(), 1u);
}

TEST(FetchScheduler, AnotherSourceDoesNotPutOffWhatFallsDue) {
  Bench bench;
  Wanted wanted = state(oids(1, 1), {kGrasp});
  wanted.synced = false;
  bench.step(wanted);
  bench.wait(170s);
  wanted.sources = {kGrasp, kForge};
  bench.step(wanted);
  EXPECT_TRUE(bench.wait(9s).empty());
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1s)).size(), 1u);
}

TEST(FetchScheduler, RepairsOfPullRequestsDoNotKeepTheMaintainersWaiting) {
  Bench bench;
  Wanted offered = pull("repair of a pull", oids(5, 1), {kForge});
  offered.reason = Reason::PullRepair;
  bench.step(offered);
  EXPECT_EQ(first_read(bench).url, kForge.url);  // and it does not answer
  bench.step(state(oids(1, 1), {kGrasp}));
  EXPECT_EQ(first_read(bench).url, kGrasp.url);
  EXPECT_EQ(bench.scheduler.missing({"r"}),
            oids(1, 1));  // what is served cannot be believed to be here
}

TEST(FetchScheduler, CountsAnObjectOnceThatSeveralEventsWant) {
  Bench bench;
  bench.step(state(oids(1, 2), {kGrasp}));
  Wanted repair = state(oids(2, 2), {kGrasp});
  repair.event = {"repair"};
  repair.reason = Reason::Repair;
  bench.step(repair);
  const auto told = bench.scheduler.status_of({"r"}, Lane::Signed);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->missing, 3u);
  EXPECT_EQ(told->first_missing, oids(1, 3));
}

TEST(FetchScheduler, FetchesForRepairsEverMoreSeldom) {
  Bench bench;
  Wanted repair = state(oids(1, 1), {});
  repair.reason = Reason::Repair;
  bench.step(repair);
  bench.wait(24h);
  EXPECT_LT(bench.scheduler.meter().passes, 40u);
}

}  // namespace scheduler_repair_test
}  // namespace graspd::git::fetch
