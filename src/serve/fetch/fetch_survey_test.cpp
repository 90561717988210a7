#include "serve/fetch/fetch_survey.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::serve {
namespace scheduler_survey_test {

using namespace grasp::testing;
using git::fetch::Reason;

const grasp::Service kOwn = *grasp::Service::parse("us.example");
const std::string kNpub = nostr::nip19::npub(author(1));

std::vector<std::string> texts(const std::vector<git::fetch::Source>& sources) {
  std::vector<std::string> all;
  for (const auto& source : sources) all.push_back(source.url.text());
  return all;
}

std::vector<FetchWant> wishes(World& world, std::string_view identifier = "project") {
  return fetch_wants(world.known(), world.store(), *grasp::Identifier::parse(identifier), kOwn);
}

TEST(FetchSources, R4AreNeverOurOwnAndOnlyHttp) {
  EXPECT_EQ(texts(fetch_sources_of(
                {"https://us.example/" + kNpub + "/project.git",
                 "ssh://git@forge.example/project.git", "git://forge.example/p.git", "/etc/passwd",
                 "http://forge.example/p.git", "https://name:word@forge.example/p.git"},
                {}, kOwn)),
            std::vector<std::string>{"http://forge.example/p.git"});
}

TEST(FetchSources, KnowAGraspServerByItsPathAndItsRelay) {
  const std::vector<std::string> relays{"wss://grasp.example", "wss://relay.example"};
  const auto is_grasp = [&](const std::string& text) {
    return fetch_sources_of({text}, relays, kOwn).at(0).is_grasp;
  };
  EXPECT_TRUE(is_grasp("https://grasp.example/" + kNpub + "/project.git"));
  EXPECT_FALSE(is_grasp("https://grasp.example/somebody/project.git"));
  EXPECT_FALSE(is_grasp("https://forge.example/" + kNpub + "/project.git"));
}

TEST(FetchWants, R1AreForStatesThatWaitInTheOwnersRepository) {
  World world;
  world.send(announcement(1));
  const auto waiting = state(1, 'c');
  world.send(waiting, true);
  const auto all = wishes(world);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].coordinate, coordinate(1));
  EXPECT_EQ(all[0].wanted.repo.value, coordinate(1).path());
  EXPECT_EQ(all[0].wanted.event.value, waiting->event.id.hex());
  EXPECT_EQ(all[0].wanted.reason, Reason::State);
  EXPECT_EQ(all[0].wanted.missing, std::vector{*git::Oid::parse(oid('c'))});
  EXPECT_TRUE(all[0].wanted.synced);
}

TEST(FetchWants, R2AreForPullRequestsFromWhereTheySay) {
  World world;
  world.serve(1);
  const auto pull =
      event(7, 1618, kStart,
            tags({{"a", address(1)}, {"c", oid('b')}, {"clone", "https://fork.example/p.git"}}));
  world.send(pull);
  const auto all = wishes(world);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].wanted.reason, Reason::PullRequest);
  EXPECT_FALSE(all[1].wanted.synced);
  EXPECT_EQ(texts(all[1].wanted.sources), std::vector<std::string>{"https://fork.example/p.git"});
  EXPECT_TRUE(all[0].wanted.sources.empty());  // R4: the fork is not asked for the branches
}

TEST(FetchWants, R3AreForWhatIsServedAsWell) {
  World world;
  world.serve(1);
  const auto all = wishes(world);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].wanted.reason, Reason::Repair);
  EXPECT_FALSE(all[0].wanted.missing.empty());
}

TEST(FetchWants, R4TakeTheSourcesOfAllWhoHaveASay) {
  World world;
  world.send(announcement(1, {.maintainers = {2}}));
  world.send(announcement(2, {.maintainers = {1}, .listed = false}));
  world.send(announcement(3, {.listed = false}));  // of the same name
  world.send(state(1, 'c'));
  const auto all = wishes(world);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(texts(all[0].wanted.sources),
            std::vector<std::string>{"https://them.example/" + nostr::nip19::npub(author(2)) +
                                     "/project.git"});
}

TEST(FetchWants, LeavePeopleOfTheSameNameAlone) {
  World world;
  world.send(announcement(1));
  world.send(announcement(2));
  world.send(state(1, 'c'));
  for (const FetchWant& wish : wishes(world)) EXPECT_EQ(wish.coordinate, coordinate(1));
}

}  // namespace scheduler_survey_test
}  // namespace graspd::serve
