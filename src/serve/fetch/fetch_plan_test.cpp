#include "serve/fetch/fetch_plan.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace fetch_plan_test {

using git::fetch::Reason;

const grasp::Coordinate kOne{nostr::PublicKey(), *grasp::Identifier::parse("one")};
const grasp::Coordinate kTwo{nostr::PublicKey(), *grasp::Identifier::parse("two")};

std::string event(char digit) { return std::string(64, digit); }

git::fetch::Wanted wanted(const grasp::Coordinate& coordinate, const std::string& event,
                          Reason reason = Reason::State) {
  git::fetch::Wanted wanted;
  wanted.repo = {coordinate.path()};
  wanted.event = {event};
  wanted.reason = reason;
  wanted.missing = {*git::Oid::parse(std::string(40, 'a'))};
  wanted.sources = {{*git::FetchUrl::parse("https://git.example/it.git"), false}};
  wanted.synced = true;
  return wanted;
}
FetchWant want(const grasp::Coordinate& coordinate, const std::string& event,
               Reason reason = Reason::State) {
  return {coordinate, wanted(coordinate, event, reason)};
}

const FetchPlan::Perform kPerformNothing = [](const git::fetch::Action&) {};

git::fetch::Options for_one_repository() {
  git::fetch::Options options;
  options.repositories_max = 1;
  return options;
}

TEST(FetchPlan, EndsWhatIsNoLongerWantedOfAnIdentifier) {
  FetchPlan plan({}, kPerformNothing);
  plan.set_wants(kOne.identifier, {want(kOne, event('1')), want(kOne, event('2'))});
  plan.set_wants(kTwo.identifier, {want(kTwo, event('3'))});
  EXPECT_EQ(plan.load().repositories, 2U);
  plan.set_wants(kOne.identifier, {want(kOne, event('2'))});
  EXPECT_EQ(plan.load().repositories, 2U);
  plan.set_wants(kOne.identifier, {});
  EXPECT_EQ(plan.load().repositories, 1U);
  EXPECT_EQ(plan.fetches(10).shown.size(), 1U);
}

TEST(FetchPlan, OffersAgainWhatThereWasNoSpaceForOnceAFetchHasEnded) {  // R2
  FetchPlan plan(for_one_repository(), kPerformNothing);
  plan.set_wants(kOne.identifier, {want(kOne, event('1'))});
  plan.set_wants(kTwo.identifier, {want(kTwo, event('2'))});
  EXPECT_TRUE(plan.take_offers().empty());
  plan.set_wants(kOne.identifier, {});
  EXPECT_EQ(plan.take_offers(), std::set{kTwo.identifier});
  EXPECT_TRUE(plan.take_offers().empty());
}

TEST(FetchPlan, RepairsADamagedRepositoryWhateverElseWaitsThere) {  // R3
  FetchPlan plan({}, kPerformNothing);
  const git::fetch::RepoKey repo{kOne.path()};
  auto order = wanted(kOne, repair_key(repo).value, Reason::Repair);
  plan.set_repairs(kOne, {{order, std::nullopt}});
  plan.set_wants(kOne.identifier, {});
  EXPECT_TRUE(plan.is_torn(repo));
  EXPECT_EQ(plan.missing(repo), std::vector<git::Oid>());  // of states and pull requests
  plan.set_repairs(kOne, {});
  EXPECT_FALSE(plan.is_torn(repo));
  EXPECT_EQ(plan.load().repositories, 0U);
}

TEST(FetchPlan, KnowsWhetherOnlyPullRequestsAskForARepository) {
  FetchPlan plan({}, kPerformNothing);
  plan.set_wants(kOne.identifier, {want(kOne, event('1'), Reason::PullRequest)});
  EXPECT_TRUE(plan.is_for_pulls_only(kOne));
  plan.set_wants(kOne.identifier,
                 {want(kOne, event('1'), Reason::PullRequest), want(kOne, event('2'))});
  EXPECT_FALSE(plan.is_for_pulls_only(kOne));
}

TEST(FetchPlan, ForgetsARepositoryThatNothingIsFetchedForAnyMore) {
  FetchPlan plan({}, kPerformNothing);
  const git::fetch::RepoKey repo{kOne.path()};
  plan.set_wants(kOne.identifier, {want(kOne, event('1'))});
  plan.forget_idle_repos();
  EXPECT_EQ(plan.repo_of(repo), kOne);
  plan.set_wants(kOne.identifier, {});
  plan.forget_idle_repos();
  EXPECT_EQ(plan.repo_of(repo), std::nullopt);
}

}  // namespace fetch_plan_test
}  // namespace graspd::serve
