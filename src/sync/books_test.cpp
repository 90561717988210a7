#include "sync/books.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace books_test {

using namespace parts_testing;

struct Reading : Bench {
  Batches batches{peer};
  AnswerTrust trust{peer, wires, batches};
  NoTurns turns;
  Books books{peer, wires, batches, trust, turns, now};

  Reading() : Bench({.negentropy = false}) {}
  void finish_all() {
    for (int i = 0; i < 100 && !batches.empty(); ++i) {
      const auto& [id, batch] = *batches.all().begin();
      for (const auto& [number, job] : batch.jobs) {
        if (job.phase == Job::Phase::Done) continue;
        books.job_done(now, {id, number});
        break;
      }
    }
  }
};

TEST(Books, ConfirmItemsWhenAllOfTheirBatchIsRead) {  // R1
  Reading reading;
  const RepoId repo = reading.follow("a");
  reading.books.start_fresh(reading.now, Source::Historic);
  EXPECT_EQ(reading.batches.all().size(), 2u);
  EXPECT_FALSE(reading.memory.confirmed.repos.contains(repo.value));
  reading.books.check();
  reading.finish_all();
  EXPECT_TRUE(reading.memory.announcements_synced);
  EXPECT_TRUE(reading.memory.confirmed.repos.contains(repo.value));
  EXPECT_TRUE(reading.books.adds_up());
}

TEST(Books, ReadWhatARequestThatWasLostShouldHaveRead) {  // R2
  Reading reading;
  reading.follow("a");
  reading.books.plan_work(reading.now);
  const std::uint32_t id = reading.batches.all().begin()->first;
  reading.batches.at(id).jobs.clear();  // that must not happen
  reading.books.check_batch(reading.now, id);
  EXPECT_FALSE(reading.batches.at(id).jobs.empty());
  EXPECT_EQ(reading.memory.meter.books_mended, 1u);
  EXPECT_EQ(reading.books.rereading(), "something was not asked for");
}

TEST(Books, ForgetWhatIsNotWantedAnyMore) {  // R2
  Reading reading;
  const RepoId repo = reading.follow("a");
  reading.books.start_fresh(reading.now, Source::Historic);
  reading.finish_all();
  reading.unfollow(repo);
  reading.books.keep_target(reading.now);
  EXPECT_TRUE(reading.memory.confirmed.empty());
  reading.follow("a");
  reading.books.plan_work(reading.now);
  EXPECT_EQ(reading.batches.all().size(), 1u);
}

TEST(Books, AskAgainForAParkedValueAfterADay) {  // R3
  Reading reading;
  const RepoId repo = reading.follow("a");
  reading.books.start_fresh(reading.now, Source::Historic);
  reading.books.park(reading.now, FilterClass::RepoA, repo.value);
  reading.finish_all();
  EXPECT_TRUE(reading.memory.confirmed.repos.contains(repo.value));
  reading.pass(24h);
  EXPECT_TRUE(reading.books.unpark(reading.now));
  EXPECT_TRUE(reading.memory.parked.empty());
  EXPECT_FALSE(reading.memory.confirmed.repos.contains(repo.value));
  EXPECT_FALSE(reading.books.unpark(reading.now));
}

TEST(Books, KnowWhenTheNextParkedValueIsDue) {  // R3
  Reading reading;
  const RepoId repo = reading.follow("a");
  reading.books.park(reading.now, FilterClass::RepoA, repo.value);
  reading.pass(1min);
  reading.books.park(reading.now, FilterClass::RepoA, repo.value);  // refused again
  reading.pass(24h - 1min);
  EXPECT_FALSE(reading.books.unpark(reading.now));
  EXPECT_EQ(reading.memory.unpark_at, reading.now.instant + 1min);
  reading.pass(1min);
  EXPECT_TRUE(reading.books.unpark(reading.now));
}

TEST(Books, LetWhatIsNewWaitWhileManyBatchesAreBusy) {  // R4
  Reading reading;
  for (std::size_t i = 0; i < Batches::kBusyMax + 3; ++i) {
    reading.follow("r" + std::to_string(i));
    reading.books.plan_work(reading.now);
  }
  EXPECT_EQ(reading.batches.all().size(), Batches::kBusyMax);
  EXPECT_TRUE(reading.books.is_syncing(reading.now));
  reading.finish_all();
  EXPECT_TRUE(new_work(reading.target(), {}, reading.memory.confirmed).empty());
}

TEST(Books, SweepFewItemsFirst) {  // R5
  Reading reading;
  reading.follow("a");
  reading.books.plan_work(reading.now);
  EXPECT_EQ(reading.batches.all().begin()->second.jobs.begin()->second.method, Job::Method::Sweep);
}

TEST(Books, ReadNothingButGivenFilters) {  // R6
  Reading reading;
  reading.follow("a");
  const std::uint32_t given = reading.context.index.give({});
  reading.memory.once = {{{FilterClass::Given, {given}}, {.since = 5}}};
  reading.books.start_fresh(reading.now, Source::Historic);
  ASSERT_EQ(reading.batches.all().size(), 1u);
  reading.memory.interrupted = reading.batches.interrupt();
  reading.books.start_quick(reading.now);
  ASSERT_EQ(reading.batches.all().size(), 1u);
  EXPECT_EQ(reading.batches.all().begin()->second.kind, Batch::Kind::Given);
  reading.finish_all();
  EXPECT_TRUE(reading.batches.empty());
  EXPECT_TRUE(reading.memory.confirmed.empty());
}

TEST(Books, TellWhatATurnRead) {
  Reading reading;
  const core::UnixSeconds started = reading.now.unix_seconds;
  reading.books.read_turn(reading.now, {{{slice(FilterClass::RootE, 1)}}, {.since = 5}});
  reading.pass(3s);
  reading.finish_all();
  EXPECT_EQ(reading.turns.ended, std::vector{started});
}

TEST(Books, TryApartWhatATurnCouldNotRead) {
  Reading reading;
  reading.books.read_turn(reading.now, {{{slice(FilterClass::RootE, 1)}}, {.since = 5}});
  const std::uint32_t id = reading.batches.all().begin()->first;
  reading.books.job_stuck(reading.now, {id, 0}, "no answer");
  EXPECT_EQ(reading.turns.ended.size(), 1u);
  EXPECT_FALSE(reading.batches.rotation());
  EXPECT_TRUE(reading.batches.at(id).failed);
}

}  // namespace books_test
}  // namespace graspd::sync
