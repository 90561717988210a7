#include "git/fetch_scheduler.h"

#include <gtest/gtest.h>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {
namespace scheduler_test {

using namespace std::chrono_literals;
using namespace words;

TEST(FetchScheduler, R1WaitsForThePushOfAPersonsEvent) {
  Bench bench;
  Wanted wanted = state(oids(1, 1), {kGrasp});
  wanted.synced = false;
  bench.step(wanted);
  EXPECT_TRUE(bench.wait(179s).empty());
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1s)).size(), 1u);
}

TEST(FetchScheduler, R1BeginsAtOnceWhenTheEventCameBySync) {
  Bench bench;
  bench.step(state(oids(1, 1), {kGrasp}));
  EXPECT_TRUE(bench.wait(499ms).empty());
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1ms)).size(), 1u);
}

TEST(FetchScheduler, R1BeginsWhenThePushHasFailed) {
  Bench bench;
  Wanted wanted = state(oids(1, 1), {kGrasp});
  wanted.synced = false;
  bench.step(wanted);
  bench.wait(10s);
  bench.step(PushFailed{{"another"}});
  EXPECT_TRUE(bench.wait(1s).empty());
  bench.step(PushFailed{{"r"}});
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(500ms)).size(), 1u);
}

TEST(FetchScheduler, ReadsTheAdvertisementThenFetchesAllThatIsAdvertisedAtOnce) {
  Bench bench;
  bench.step(state(oids(1, 1000), {kForge, kGrasp}));
  const auto reading = first_read(bench);
  EXPECT_EQ(reading.url, kGrasp.url);
  const auto fetches = only<Fetch>(bench.step(read(reading.attempt, oids(1, 2000))));
  ASSERT_EQ(fetches.size(), 1u);
  EXPECT_EQ(fetches[0].oids, oids(1, 1000));
  EXPECT_TRUE(fetches[0].advertised);
  EXPECT_TRUE(bench.scheduler.is_running({"r"}));
  EXPECT_TRUE(bench.step(fetched(fetches[0].attempt, oids(1, 1000))).empty());
  EXPECT_FALSE(bench.scheduler.is_running({"r"}));
  EXPECT_FALSE(bench.scheduler.wants({"r"}, {"state of r"}));
  EXPECT_EQ(bench.scheduler.meter().satisfied, 1u);
  EXPECT_EQ(bench.scheduler.meter().advertisement_ends, (fetch::Meter::Ends{1}));
  EXPECT_EQ(bench.scheduler.meter().fetch_ends, (fetch::Meter::Ends{1}));
  EXPECT_TRUE(bench.wait(1h).empty());
}

TEST(FetchScheduler, CountsHowCommandsEnd) {
  using fetch::CommandEnd;
  EXPECT_EQ(fetch::end_of(std::nullopt), CommandEnd::Success);
  EXPECT_EQ(fetch::end_of(FetchFailure::Stopped), CommandEnd::Cancelled);
  EXPECT_EQ(fetch::end_of(FetchFailure::Stalled), CommandEnd::Stalled);
  EXPECT_EQ(fetch::end_of(FetchFailure::RateLimited), CommandEnd::RateLimited);
  EXPECT_EQ(fetch::end_of(FetchFailure::Corrupt), CommandEnd::Failure);
}

TEST(FetchScheduler, FetchesTheRestElsewhereWhenARemoteLacksSome) {
  Bench bench;
  bench.step(state(oids(1, 4), {kGrasp, kForge}));
  const auto reading = first_read(bench);
  const auto half = only<Fetch>(bench.step(read(reading.attempt, oids(1, 2)))).at(0);
  EXPECT_EQ(half.oids, oids(1, 2));
  const auto next = only<ReadAdvertisement>(bench.step(fetched(half.attempt, oids(1, 1)))).at(0);
  EXPECT_EQ(next.url, kForge.url);
  const auto rest = only<Fetch>(bench.step(read(next.attempt, oids(1, 4)))).at(0);
  EXPECT_EQ(rest.oids, oids(2, 3));
}

TEST(FetchScheduler, AsksForUnadvertisedOidsLateAndFew) {
  Bench bench;
  bench.step(state(oids(1, 10), {kGrasp, kForge}));
  const auto one = first_read(bench);
  const auto two = only<ReadAdvertisement>(bench.step(read(one.attempt, {}))).at(0);
  auto asked = only<Fetch>(bench.step(read(two.attempt, {})));
  std::size_t singles = 0;
  while (!asked.empty()) {
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_FALSE(asked[0].advertised);
    EXPECT_EQ(asked[0].oids.size(), 1u);
    ++singles;
    asked = only<Fetch>(bench.step(fetched(asked[0].attempt, {})));
  }
  EXPECT_EQ(singles, 4u);  // two of each source
  EXPECT_EQ(bench.scheduler.meter().singles, 4u);
}

TEST(FetchScheduler, DoesNotAskAgainForWhatARemoteIsKnownToLack) {
  Bench bench;
  bench.step(state(oids(1, 1), {kGrasp}));
  const auto reading = first_read(bench);
  const auto single = only<Fetch>(bench.step(read(reading.attempt, oids(7, 1)))).at(0);
  bench.step(fetched(single.attempt, {}));
  const auto again = only<ReadAdvertisement>(bench.wait(30s)).at(0);
  EXPECT_TRUE(only<Fetch>(bench.step(read(again.attempt, oids(7, 1)))).empty());
  const auto later = only<ReadAdvertisement>(bench.wait(60s)).at(0);
  EXPECT_EQ(only<Fetch>(bench.step(read(later.attempt, oids(8, 1), 2))).size(), 1u);
}

TEST(FetchScheduler, AsksASecondSourceOnAnotherDomainWhenTheFirstTakesLong) {
  Bench bench;
  bench.step(state(oids(1, 4), {kForge, kSameForge, kGrasp}));
  const auto slow = first_read(bench);
  EXPECT_EQ(slow.url, kGrasp.url);
  EXPECT_TRUE(bench.wait(28s).empty());
  const auto second = only<ReadAdvertisement>(bench.wait(2s));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].url, kForge.url);
  const auto fetch = only<Fetch>(bench.step(read(second[0].attempt, oids(1, 4)))).at(0);
  EXPECT_TRUE(bench.wait(10min).empty());  // two are enough
  const auto actions = bench.step(fetched(fetch.attempt, oids(1, 4)));
  ASSERT_EQ(only<Stop>(actions).size(), 1u);
  EXPECT_EQ(only<Stop>(actions)[0].attempt, slow.attempt);
}

TEST(FetchScheduler, NeverAsksTwoSourcesOfOneDomainForOneRepository) {
  Bench bench;
  bench.step(state(oids(1, 4), {kForge, kSameForge}));
  first_read(bench);
  EXPECT_TRUE(bench.wait(10min).empty());
}

// Answers every fetch with nothing until the pass is over.
void find_nothing(Bench& bench, Attempt reading) {
  auto fetches = only<Fetch>(bench.step(read(reading, {})));
  while (!fetches.empty()) fetches = only<Fetch>(bench.step(fetched(fetches[0].attempt, {})));
}

std::pair<Attempt, core::Duration> next_read(Bench& bench) {
  const auto since = bench.time;
  std::vector<ReadAdvertisement> reads;
  while (reads.empty() && bench.time - since < 10min)
    reads = only<ReadAdvertisement>(bench.wait(100ms));
  return {reads.at(0).attempt, bench.time - since};
}

TEST(FetchScheduler, BacksOffAfterEachPassAndStartsAfreshOnANewEvent) {
  Bench bench;
  bench.step(state(oids(1, 1), {kGrasp}));
  Attempt reading = first_read(bench).attempt;
  for (const auto expected : {20s, 40s, 80s, 120s, 120s}) {
    find_nothing(bench, reading);
    const auto [attempt, pause] = next_read(bench);
    EXPECT_GE(pause, expected);
    EXPECT_LE(pause, expected + 3s);
    reading = attempt;
  }
  find_nothing(bench, reading);
  Wanted news = state(oids(2, 1), {kGrasp});
  news.event = {"newer"};
  bench.step(news);
  EXPECT_LE(next_read(bench).second, 1s);
}

TEST(FetchScheduler, SayingTheSameAgainIsNoNews) {
  Bench bench;
  bench.step(state(oids(1, 2), {kGrasp}));
  const auto reading = first_read(bench);
  for (const auto& single : only<Fetch>(bench.step(read(reading.attempt, {}))))
    for (const auto& another : only<Fetch>(bench.step(fetched(single.attempt, {}))))
      bench.step(fetched(another.attempt, {}));
  bench.step(state(oids(1, 2), {kGrasp}));
  EXPECT_TRUE(bench.wait(15s).empty());
}

TEST(FetchScheduler, OthersWhoAskARemoteCountToo) {
  Options options;
  options.domain_concurrency = 1;
  Bench bench(options);
  const auto visit = bench.scheduler.begin_visit(at(bench.time), kGrasp.url);
  ASSERT_TRUE(visit);
  EXPECT_FALSE(bench.scheduler.begin_visit(at(bench.time), kGrasp.url));
  bench.step(state(oids(1, 1), {kGrasp}));
  EXPECT_TRUE(bench.wait(1min).empty());
  const auto reads = only<ReadAdvertisement>(bench.step(VisitEnded{*visit, {}, {}}));
  ASSERT_EQ(reads.size(), 1u);
  bench.step(unread(reads[0].attempt, FetchFailure::RateLimited));
  EXPECT_FALSE(bench.scheduler.begin_visit(at(bench.time), kGrasp.url));
  EXPECT_TRUE(bench.scheduler.begin_visit(at(bench.time), kForge.url));
}

TEST(FetchScheduler, R3KeepsALastPlaceForWhatIsSigned) {
  Options options;
  options.concurrency = 3;
  Bench bench(options);
  for (int i = 0; i < 5; ++i) {
    Wanted offered =
        pull("pr", oids(1, 1), {{url("https://" + std::to_string(i) + ".example/p"), false}});
    offered.repo = {std::to_string(i)};
    bench.step(offered);
  }
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1s)).size(), 2u);
  bench.step(state(oids(1, 1), {kGrasp}));
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(1s)).size(), 1u);
}

TEST(FetchScheduler, DoesNotAskAStrangersServerForTheMaintainersData) {
  Bench bench;
  bench.step(pull("pr", oids(9, 1), {{url("https://stranger.example/x"), true}}));
  bench.step(pull("another", oids(8, 1), {kForge}));
  bench.step(state(oids(1, 2), {kForge}));
  const auto reads = only<ReadAdvertisement>(bench.wait(1s));
  ASSERT_EQ(reads.size(), 2u);  // one for what is signed, one for what is offered
  for (const auto& reading : reads) {
    const auto fetches = only<Fetch>(bench.step(read(reading.attempt, oids(1, 9))));
    if (reading.url.host() != "stranger.example") continue;
    ASSERT_EQ(fetches.size(), 1u);
    EXPECT_EQ(fetches[0].oids, oids(9, 1));
  }
}

TEST(FetchScheduler, R4StopsWhatRunsWhenNobodyWantsIt) {
  Bench bench;
  bench.step(state(oids(1, 1), {kGrasp}));
  const auto reading = first_read(bench);
  EXPECT_EQ(only<Stop>(bench.step(NoLongerWanted{{"r"}, {"state of r"}})).size(), 1u);
  EXPECT_EQ(bench.scheduler.status(at(bench.time), 10).running, 1u);  // until it says so
  bench.step(unread(reading.attempt, FetchFailure::Stopped));
  EXPECT_EQ(bench.scheduler.status(at(bench.time), 10).running, 0u);
  EXPECT_TRUE(bench.wait(1h).empty());
}

TEST(FetchScheduler, R4StopsAFetchWhenThePushCame) {
  Bench bench;
  bench.step(state(oids(1, 3), {kGrasp}));
  const auto reading = first_read(bench);
  only<Fetch>(bench.step(read(reading.attempt, oids(1, 3))));
  EXPECT_TRUE(only<Stop>(bench.step(Arrived{{"r"}, oids(1, 2)})).empty());
  EXPECT_EQ(only<Stop>(bench.step(Arrived{{"r"}, oids(3, 1)})).size(), 1u);
}

TEST(FetchScheduler, R2GivesEveryRepositoryItsTurn) {
  Options options;
  options.concurrency = 1;
  Bench bench(options);
  for (int i = 0; i < 3; ++i) {
    std::vector<Source> sources;
    for (int k = 0; k < 10; ++k)
      sources.push_back(
          {url("https://" + std::to_string(i) + "-" + std::to_string(k) + ".example/r"), false});
    bench.step(state(oids(1, 5), sources, std::to_string(i)));
  }
  std::vector<std::string> turns;
  auto reads = only<ReadAdvertisement>(bench.wait(1s));
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(reads.size(), 1u);
    turns.push_back(reads[0].repo.value);
    reads = only<ReadAdvertisement>(bench.step(unread(reads[0].attempt, FetchFailure::NotFound)));
  }
  EXPECT_EQ(turns, (std::vector<std::string>{"0", "1", "2", "0", "1", "2", "0", "1", "2"}));
}

// A hundred servers that lack everything, and twenty repositories whose server has it all.
TEST(FetchScheduler, R2NobodyWaitsForAGreedyRepository) {
  Options options;
  options.concurrency = 2;
  Bench bench(options);
  std::vector<Source> hundred;
  for (int i = 0; i < 100; ++i)
    hundred.push_back({url("https://" + std::to_string(i) + ".example/r"), true});
  bench.step(state(oids(1, 10'000), hundred, "greedy"));
  for (int i = 0; i < 20; ++i) bench.step(state(oids(1, 3), {kForge}, std::to_string(i)));
  Actions asked = bench.wait(1s);
  for (int commands = 0; bench.scheduler.meter().satisfied < 20 && !asked.empty(); ++commands) {
    ASSERT_LT(commands, 100);
    const Action next = asked.front();
    asked.erase(asked.begin());
    Actions more;
    if (const auto* reading = std::get_if<ReadAdvertisement>(&next))
      more = bench.step(read(reading->attempt,
                             reading->repo.value == "greedy" ? std::vector<Oid>() : oids(1, 3)));
    else if (const auto* fetch = std::get_if<Fetch>(&next))
      more = bench.step(fetched(fetch->attempt, fetch->oids));
    asked.insert(asked.end(), more.begin(), more.end());
    if (asked.empty()) asked = bench.wait(60s);
  }
  EXPECT_EQ(bench.scheduler.meter().satisfied, 20u);
}

TEST(FetchScheduler, R6RefusesWhatPassesABoundAndCountsIt) {
  Options options;
  options.repositories_max = 1;
  options.oids_max = 10;
  Bench bench(options);
  bench.step(state(oids(1, 5), {kGrasp}));
  bench.step(state(oids(1, 5), {kGrasp}, "another"));
  bench.step(pull("pr", oids(1, 11), {kGrasp}));
  EXPECT_EQ(bench.scheduler.meter().refused, 2u);
  EXPECT_TRUE(bench.scheduler.wants({"r"}, {"state of r"}));
}

TEST(FetchScheduler, SetsASiteAsideAndSaysSo) {
  Bench bench;
  bench.step(state(oids(1, 1), {kForge}));
  const auto reading = first_read(bench);
  EXPECT_EQ(only<Log>(bench.step(unread(reading.attempt, FetchFailure::Name))).size(), 1u);
  EXPECT_TRUE(only<ReadAdvertisement>(bench.wait(12h - 10s)).empty());
  const auto status = bench.scheduler.status(at(bench.time), 10);
  ASSERT_EQ(status.sites.size(), 1u);
  EXPECT_EQ(status.sites[0].why, FetchFailure::Name);
  ASSERT_EQ(status.repos.size(), 1u);
  EXPECT_EQ(status.repos[0].sources.at(0).failure, FetchFailure::Name);
  EXPECT_EQ(only<ReadAdvertisement>(bench.wait(5min)).size(), 1u);
}

TEST(FetchScheduler, ShowsWhatIsMissingFromWhereAndWhen) {
  Bench bench;
  bench.step(state(oids(1, 9), {kGrasp, kForge}));
  const auto waiting = bench.scheduler.status_of({"r"}, Lane::Signed);
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->missing, 9u);
  EXPECT_EQ(waiting->next_try, at(500ms).instant);
  first_read(bench);
  const auto running = bench.scheduler.status_of({"r"}, Lane::Signed);
  EXPECT_TRUE(running->running);
  EXPECT_EQ(running->sources.size(), 2u);
  EXPECT_EQ(running->sources[0].busy_since, at(500ms).instant);
  EXPECT_FALSE(bench.scheduler.status_of({"r"}, Lane::Offered));
}

TEST(FetchScheduler, ShowsWhatItWasLastToldOverThePauses) {
  Bench bench;
  bench.step(state(oids(1, 9), {kGrasp, kForge}));
  const auto reading = first_read(bench);
  bench.wait(1s);
  const auto then =
      only<ReadAdvertisement>(bench.step(unread(reading.attempt, FetchFailure::NotFound)));
  bench.step(state(oids(1, 9), {kGrasp, kForge}));
  const auto told = bench.scheduler.status_of({"r"}, Lane::Signed);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->since, at(0s).instant);  // saying it again does not make it younger
  ASSERT_EQ(told->events.size(), 1u);
  EXPECT_EQ(told->events[0].missing, 9u);
  EXPECT_EQ(told->sources.at(0).failure, FetchFailure::NotFound);
  const auto failed_at = told->sources.at(0).failed_at;
  ASSERT_TRUE(failed_at);
  bench.step(unread(then.at(0).attempt, FetchFailure::Unreachable));
  const auto passes = bench.scheduler.meter().passes;
  bench.wait(25s);
  EXPECT_GT(bench.scheduler.meter().passes, passes);
  EXPECT_EQ(bench.scheduler.status_of({"r"}, Lane::Signed)->sources.at(0).failed_at, failed_at);
}

TEST(FetchScheduler, ShowsAFewRepositoriesTheOldestFirstAndCountsThemAll) {
  Bench bench;
  for (const char* repo : {"c", "b", "a"}) {
    bench.step(state(oids(1, 1), {kGrasp}, repo));
    bench.wait(1ms);
  }
  const auto waiting = bench.scheduler.status(at(bench.time), 2);
  EXPECT_EQ(waiting.repos_total, 3u);
  ASSERT_EQ(waiting.repos.size(), 2u);
  EXPECT_EQ(waiting.repos[0].repo.value, "c");
  EXPECT_EQ(waiting.repos[1].repo.value, "b");
}

TEST(FetchScheduler, ShowsWhatIsUnderWayBeforeWhatIsOlder) {
  Bench bench;
  Wanted waits = state(oids(1, 1), {kGrasp}, "waits for its push");
  waits.synced = false;
  bench.step(waits);
  bench.wait(1s);
  bench.step(state(oids(1, 1), {kGrasp}));
  EXPECT_EQ(bench.scheduler.status(at(bench.time), 1).repos.at(0).repo.value, "waits for its push");
  first_read(bench);
  EXPECT_EQ(bench.scheduler.status(at(bench.time), 1).repos.at(0).repo.value, "r");
}

}  // namespace scheduler_test
}  // namespace graspd::git::fetch
