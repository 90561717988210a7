#include "sync/batches.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace batches_test {

using namespace parts_testing;
using Phase = Job::Phase;
using Method = Job::Method;

struct Some : Bench {
  Batches batches{peer};

  // A batch of one job.
  JobKey add(Job job, Batch::Kind kind = Batch::Kind::CatchUp) {
    Batch batch{.kind = kind};
    for (const Slice& one : job.slices) batch.ledger.owe(one, job.window);
    batch.add(std::move(job));
    return {batches.add(std::move(batch)), 0};
  }
  // Whatever is owed is asked for by some job (R1).
  bool is_whole(std::uint32_t id) {
    Ledger ledger = batches.at(id).ledger;
    for (const auto& [number, job] : batches.at(id).jobs) {
      for (const Slice& one : job.slices) ledger.pay(one, job.window);
    }
    return ledger.is_paid();
  }
};

TEST(Batches, ReadTheFiltersOfASweepOneByOne) {  // R1
  Some some;
  const Group two{slice(FilterClass::RootE, 2), slice(FilterClass::RootQ, 2)};
  const JobKey key = some.add({.method = Method::Sweep, .slices = two});
  some.batches.expand(key, Phase::Ready, Method::Pages, 0b10);
  EXPECT_EQ(some.batches.find(key), nullptr);
  EXPECT_TRUE(some.is_whole(key.batch));
  const auto& jobs = some.batches.at(key.batch).jobs;
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_TRUE(jobs.begin()->second.brought_nothing);
  EXPECT_FALSE(jobs.rbegin()->second.brought_nothing);
}

TEST(Batches, SplitByValuesAndByTime) {  // R1, R2
  Some some;
  const JobKey key = some.add({.slices = {slice(FilterClass::RootE, 3)}});
  some.batches.halve_values(key);
  EXPECT_TRUE(some.is_whole(key.batch));
  EXPECT_EQ(some.batches.find(key)->slices[0].ids.size(), 1u);
  EXPECT_TRUE(some.batches.split_window(some.now, key, 1'700'000'000));
  EXPECT_TRUE(some.is_whole(key.batch));
  EXPECT_EQ(some.batches.at(key.batch).jobs.size(), 3u);
}

TEST(Batches, SplitAWindowWithoutGapOrOverlap) {  // R1
  Some some;
  const auto halves = [&](Window window, std::optional<core::UnixSeconds> middle) {
    const JobKey key = some.add({.slices = {slice(FilterClass::RootE, 1)}, .window = window});
    EXPECT_TRUE(some.batches.split_window(some.now, key, middle));
    const auto& jobs = some.batches.at(key.batch).jobs;
    return std::pair(jobs.begin()->second.window, jobs.rbegin()->second.window);
  };
  EXPECT_EQ(halves({100, 200}, std::nullopt), std::pair(Window{151, 200}, Window{100, 150}));
  EXPECT_EQ(halves({100, 200}, 180), std::pair(Window{181, 200}, Window{100, 180}));
  EXPECT_EQ(halves({100, 200}, 900), std::pair(Window{151, 200}, Window{100, 150}));
  EXPECT_EQ(halves({{}, 99}, std::nullopt), std::pair(Window{50, 99}, Window{{}, 49}));
  const auto [newer, older] = halves({}, std::nullopt);
  EXPECT_FALSE(newer.until);
  EXPECT_FALSE(older.since);
  EXPECT_EQ(*newer.since, *older.until + 1);
}

TEST(Batches, DoNotSplitASecond) {  // R2
  Some some;
  const JobKey key =
      some.add({.slices = {slice(FilterClass::RootE, 1)}, .window = {.since = 5, .until = 5}});
  EXPECT_FALSE(some.batches.split_window(some.now, key, std::nullopt));
  EXPECT_TRUE(some.is_whole(key.batch));
}

TEST(Batches, JoinThoseThatFailed) {  // R3
  Some some;
  const auto fail = [&](core::UnixSeconds since) {
    const JobKey key =
        some.add({.slices = {slice(FilterClass::RootE, 1)}, .window = {.since = since}});
    some.batches.stuck(some.now, key, "no answer");
    some.batches.at(key.batch).failed = true;
    some.batches.failed(key.batch, some.now.instant + 1min);
    return key.batch;
  };
  fail(100);
  const std::uint32_t last = fail(200);
  ASSERT_EQ(some.batches.all().size(), 1u);
  const auto& jobs = some.batches.at(last).jobs;
  ASSERT_EQ(jobs.size(), 1u);  // the same values over the longer time
  EXPECT_EQ(jobs.begin()->second.window.since, 100);
  some.pass(1min);
  some.batches.retry_due(some.now);
  EXPECT_EQ(some.batches.standing(last).busy, 1u);
}

TEST(Batches, GoOnWhereAReadFailed) {  // R4
  Some some;
  const JobKey key = some.add({.slices = {slice(FilterClass::RootE, 1)}});
  Job& job = *some.batches.find(key);
  job.pages.emplace(nostr::Filter{}, Window{}, PageLimits{});
  AnswerSize answers;
  job.pages->ended(nostr::Completeness::More, answers);
  ASSERT_FALSE(job.pages->failure().empty());
  some.batches.stuck(some.now, key, job.pages->failure());
  EXPECT_FALSE(some.batches.find(key)->pages);
  EXPECT_TRUE(some.is_whole(key.batch));
}

TEST(Batches, ForgetTheIdsOfAJobThatIsPaged) {
  Some some;
  const JobKey key = some.add({.method = Method::Reconcile, .slices = {{}}});
  some.batches.ids().want(key, id(1));
  some.batches.find(key)->ids_waiting = 1;
  some.batches.find(key)->phase = Phase::Fetching;
  some.batches.page_what_waits();
  EXPECT_FALSE(some.batches.ids().wants(id(1)));
  EXPECT_EQ(some.batches.find(key)->method, Method::Pages);
}

TEST(Batches, KeepWhatIsLeftForAReconnect) {
  Some some;
  const JobKey done = some.add({.slices = {{}}}), open = some.add({.slices = {{}}});
  some.batches.done(done);
  some.batches.find(open)->phase = Phase::Flying;
  some.add({.slices = {{}}}, Batch::Kind::Rotation);
  const auto left = some.batches.interrupt();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_TRUE(left[0].jobs.empty());
  EXPECT_EQ(left[1].jobs.begin()->second.phase, Phase::Ready);
  EXPECT_TRUE(some.batches.empty());
}

}  // namespace batches_test
}  // namespace graspd::sync
