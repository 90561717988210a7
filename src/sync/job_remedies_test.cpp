#include "sync/job_remedies.h"

#include "gtest/gtest.h"
#include "sync/history_testing.h"

namespace graspd::sync {
namespace job_remedies_test {

using namespace parts_testing;

struct Refused : HistoryBench {
  std::vector<std::uint32_t> repos;
  Refused() {
    for (const char* name : {"a", "b", "c"}) repos.push_back(follow(name).value);
    repos.push_back(follow(std::string(300, 'x')).value);
  }
  JobKey job(std::vector<std::uint32_t> values) {
    return add({.slices = {{FilterClass::RepoA, std::move(values)}}});
  }
};

TEST(JobRemedies, HalveAFilterUntilTheRefusedValueStandsAlone) {  // R1, R4
  Refused one;
  const JobKey key = one.job({one.repos[0], one.repos[1]});
  one.remedies.fewer_values(one.now, key, "bad filter");
  EXPECT_EQ(one.batches.at(key.batch).jobs.size(), 2u);
  one.books.check();
  one.remedies.fewer_values(one.now, key, "bad filter");
  EXPECT_TRUE(one.memory.parked.contains({FilterClass::RepoA, one.repos[0]}));
  EXPECT_EQ(one.batches.find(key)->phase, Job::Phase::Done);
}

TEST(JobRemedies, ParkLongValuesAtOnce) {  // R1
  Refused one;
  const JobKey key = one.job({one.repos[0], one.repos[1], one.repos[3]});
  one.remedies.fewer_values(one.now, key, "bad filter");
  EXPECT_TRUE(one.memory.parked.contains({FilterClass::RepoA, one.repos[3]}));
  EXPECT_EQ(one.batches.find(key)->slices[0].ids.size(), 2u);
}

TEST(JobRemedies, AskForFewerValuesAndThenForLessTime) {  // R2, R4
  Refused one;
  const JobKey key = one.job({one.repos[0], one.repos[1]});
  one.remedies.less_at_once(one.now, key, "too large");
  EXPECT_EQ(one.batches.find(key)->slices[0].ids.size(), 1u);
  one.remedies.less_at_once(one.now, key, "too large");
  EXPECT_EQ(one.batches.find(key), nullptr);
  EXPECT_EQ(one.batches.at(key.batch).jobs.size(), 3u);
  one.books.check();
}

TEST(JobRemedies, DoNotParkAFilterThatWasGiven) {  // R3
  Refused one;
  const JobKey key = one.add({.slices = {{FilterClass::Given, {one.context.index.give({})}}}});
  one.remedies.fewer_values(one.now, key, "bad filter");
  EXPECT_EQ(one.batches.find(key)->phase, Job::Phase::Stuck);
  EXPECT_EQ(one.batches.find(key)->why, "bad filter");
  EXPECT_TRUE(one.memory.parked.empty());
}

TEST(JobRemedies, PageWhatCannotBeSplitByTime) {
  Refused one;
  const JobKey key = one.add({.method = Job::Method::Reconcile,
                              .slices = {{FilterClass::RepoA, {one.repos[0]}}},
                              .window = {.since = 5, .until = 5}});
  one.remedies.less_time(one.now, key, std::nullopt);
  EXPECT_EQ(one.batches.find(key)->method, Job::Method::Pages);
}

TEST(JobRemedies, FitARequestIntoFewerBytes) {
  Refused one;
  const JobKey key = one.job({one.repos[0], one.repos[1], one.repos[2]});
  one.remedies.fit_bytes(one.now, key);
  EXPECT_EQ(one.batches.at(key.batch).jobs.size(), 1u);
  one.peer.budget.req_bytes = 10;
  one.remedies.fit_bytes(one.now, key);
  EXPECT_EQ(one.batches.at(key.batch).jobs.size(), 2u);
}

}  // namespace job_remedies_test
}  // namespace graspd::sync
