#include "git/fetch_domains.h"

#include <gtest/gtest.h>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {
namespace scheduler_domains_test {

using namespace std::chrono_literals;

const FetchUrl kUrl = url("https://git.example/a/b.git");
const FetchUrl kNeighbour = url("https://git.example/c/d.git");
const FetchUrl kOtherPort = url("https://git.example:8443/a/b.git");

class DomainsTest : public testing::Test {
 protected:
  Options options;
  std::optional<Domains> made;
  Domains& domains() { return made ? *made : made.emplace(options); }

  bool is_ready(const FetchUrl& url, Kind kind, core::Duration time) {
    return std::holds_alternative<Ready>(domains().ready(url, kind, at(time).instant));
  }
  Ticket start(core::Duration time, Kind kind = Kind::Advertisement, std::size_t commands = 1) {
    return domains().start(kUrl, kind, commands, at(time).instant);
  }
  bool end(const Ticket& ticket, core::Duration time,
           std::optional<FetchFailure> failure = std::nullopt, std::size_t used = 1,
           std::optional<core::Duration> retry_after = std::nullopt) {
    return domains().end(ticket, used, failure, retry_after, at(time).instant);
  }
};

TEST_F(DomainsTest, R1AllowFiveCommandsAtOnce) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(start(0s));
  EXPECT_FALSE(is_ready(kNeighbour, Kind::Advertisement, 1s));
  end(tickets.front(), 2s);
  EXPECT_TRUE(is_ready(kNeighbour, Kind::Advertisement, 2s));
}

TEST_F(DomainsTest, R1AllowSixtyCommandsInAnySixtySeconds) {
  for (int i = 0; i < 60; ++i) end(start(i * 500ms), i * 500ms);
  const auto readiness = domains().ready(kUrl, Kind::Advertisement, at(30s).instant);
  ASSERT_TRUE(std::holds_alternative<ReadyLater>(readiness));
  EXPECT_EQ(std::get<ReadyLater>(readiness).at, at(60s).instant);
  EXPECT_FALSE(is_ready(kOtherPort, Kind::Advertisement, 59'999ms));
  EXPECT_TRUE(is_ready(kOtherPort, Kind::Advertisement, 60s));
}

TEST_F(DomainsTest, R1GiveBackTheCommandsAFetchDidNotNeed) {
  for (int i = 0; i < 54; ++i) end(start(0s), 0s);
  const Ticket fetch = start(1s, Kind::Batch, 6);
  EXPECT_FALSE(is_ready(kUrl, Kind::Advertisement, 2s));
  end(fetch, 2s, std::nullopt, 2);
  const auto readiness = domains().ready(kUrl, Kind::Batch, at(2s).instant);
  ASSERT_TRUE(std::holds_alternative<Ready>(readiness));
  EXPECT_EQ(std::get<Ready>(readiness).commands, 4u);
}

TEST_F(DomainsTest, R1LetAFetchWaitUntilItHasEnoughCommands) {
  for (int i = 0; i < 58; ++i) end(start(i * 100ms), i * 100ms);
  EXPECT_FALSE(is_ready(kUrl, Kind::Batch, 10s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 10s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Batch, 60s));
}

TEST_F(DomainsTest, R1HaveNoLimitWhenItIsZero) {
  options.domain_commands_per_minute = 0;
  for (int i = 0; i < 500; ++i) end(start(0s), 0s);
  EXPECT_TRUE(is_ready(kUrl, Kind::Batch, 0s));
}

TEST_F(DomainsTest, R2AllowSixSingleOidsAMinute) {
  for (int i = 0; i < 6; ++i) end(start(0s, Kind::Single), 0s);
  EXPECT_FALSE(is_ready(kUrl, Kind::Single, 59s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 59s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Single, 60s));
}

TEST_F(DomainsTest, R2AllowSingleOidsOnlyWhileTheDomainIsNotBusy) {
  for (int i = 0; i < 30; ++i) end(start(i * 1s), i * 1s);
  EXPECT_FALSE(is_ready(kUrl, Kind::Single, 30s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Single, 60s));
}

TEST_F(DomainsTest, R4SetASiteAsideWhoseNameOrCertificateIsWrong) {
  EXPECT_TRUE(end(start(0s), 1s, FetchFailure::Tls));
  const auto readiness = domains().ready(kNeighbour, Kind::Advertisement, at(11h).instant);
  ASSERT_TRUE(std::holds_alternative<NotReady>(readiness));
  EXPECT_EQ(std::get<NotReady>(readiness).why, FetchFailure::Tls);
  EXPECT_TRUE(is_ready(kNeighbour, Kind::Advertisement, 12h + 1s));
}

TEST_F(DomainsTest, R3DoNotBlameAHostForAPortThatSomebodyMadeUp) {
  domains().end(domains().start(kOtherPort, Kind::Advertisement, 1, at(0s).instant), 1,
                FetchFailure::Tls, std::nullopt, at(0s).instant);
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 1s));
}

TEST_F(DomainsTest, R4DoNotSetAsideASiteThatHasServedGitForOneUrlThatIsNot) {
  end(start(0s), 0s);
  EXPECT_FALSE(end(start(1s), 1s, FetchFailure::NotGit));
  EXPECT_TRUE(is_ready(kNeighbour, Kind::Advertisement, 2s));
}

TEST_F(DomainsTest, R4SetAsideASiteThatNeverServedGit) {
  EXPECT_TRUE(end(start(0s), 0s, FetchFailure::NotGit));
  EXPECT_FALSE(is_ready(kNeighbour, Kind::Advertisement, 1h));
}

TEST_F(DomainsTest, R5PauseTheDomainThatSaysTooMany) {
  end(start(0s), 0s, FetchFailure::RateLimited);
  EXPECT_FALSE(is_ready(kOtherPort, Kind::Advertisement, 59s));
  EXPECT_TRUE(is_ready(kOtherPort, Kind::Advertisement, 60s));
}

TEST_F(DomainsTest, R5BelieveTheTimeADomainAsksForWithinReason) {
  end(start(0s), 0s, FetchFailure::RateLimited, 1, 5min);
  EXPECT_FALSE(is_ready(kUrl, Kind::Advertisement, 299s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 300s));
  end(start(300s), 300s, FetchFailure::RateLimited, 1, 240h);
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 300s + 1h));
}

TEST_F(DomainsTest, R5PauseTheUnreachableLongerEachTime) {
  end(start(0s), 0s, FetchFailure::Unreachable);
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 5s));
  end(start(5s), 5s, FetchFailure::Unreachable);
  EXPECT_FALSE(is_ready(kUrl, Kind::Advertisement, 14s));
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 15s));
  for (int i = 1; i < 10; ++i) end(start(i * 10min), i * 10min, FetchFailure::TimedOut);
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 92min));
}

TEST_F(DomainsTest, R5GiveOneCommandAtATimeToASiteThatStalls) {
  end(start(0s), 300s, FetchFailure::Stalled);
  EXPECT_TRUE(is_ready(kNeighbour, Kind::Advertisement, 300s));
  const Ticket trial = start(300s);
  EXPECT_FALSE(is_ready(kNeighbour, Kind::Advertisement, 301s));
  end(trial, 302s);
  start(302s);
  EXPECT_TRUE(is_ready(kNeighbour, Kind::Advertisement, 302s));
}

TEST_F(DomainsTest, R6BlameNobodyForOurOwnFailures) {
  for (const auto failure : {FetchFailure::OurFault, FetchFailure::Stopped, FetchFailure::Lacks,
                             FetchFailure::NotFound, FetchFailure::Unauthorized})
    end(start(0s), 0s, failure);
  EXPECT_TRUE(is_ready(kUrl, Kind::Advertisement, 0s));
  EXPECT_EQ(domains().standing(kUrl), Standing::Unknown);
}

TEST_F(DomainsTest, KeepTheirLimitsWhenManyAreKnown) {
  options.domains_remembered = 8;
  const Ticket running = start(0s);
  for (int i = 0; i < 100; ++i) {
    const FetchUrl other = url("https://" + std::to_string(i) + ".example/x.git");
    const auto ticket = domains().start(other, Kind::Advertisement, 1, at(i * 20s).instant);
    domains().end(ticket, 1, std::nullopt, std::nullopt, at(i * 20s).instant);
  }
  EXPECT_LE(domains().domains(at(33min).instant).size(), 8u);
  end(running, 33min);
}

}  // namespace scheduler_domains_test
}  // namespace graspd::git::fetch
