#include "sync/feed.h"

#include <gtest/gtest.h>

namespace graspd::sync {
namespace feed_test {

using namespace std::chrono_literals;

const core::Now kNow{core::Instant(1h), 1'800'000'000};
const std::string kA = "wss://a.example", kB = "wss://b.example";

nostr::Address repo(int number) { return {{30617}, {}, "r" + std::to_string(number)}; }

class Fed : public ::testing::Test {
 protected:
  std::vector<RelayId> commit() {
    feed.commit();
    return feed.fill_places(kNow);
  }
  std::size_t repos_on(RelayId relay) const { return context.targets.of(relay).repos.size(); }

  SessionContext context{{}, core::Rng(1)};
  RelayDirectory relays;
  Feed feed{context, relays};
};

TEST_F(Fed, ChangesNothingBeforeTheCommit) {  // R1
  feed.stage(RepoSeen{repo(1), Level::Full, {kA}, {}});
  EXPECT_FALSE(feed.is_empty());
  EXPECT_EQ(context.index.size(), 0U);
  const auto added = commit();
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(repos_on(added[0]), 1U);
  EXPECT_TRUE(feed.is_empty());
}

TEST_F(Fed, SaysWhichItemIsTheFirstOfABatchAfterTheHistory) {
  EXPECT_FALSE(feed.stage(RepoSeen{repo(1), Level::Full, {kA}, {}}));
  EXPECT_TRUE(feed.end_history(kNow).empty());
  commit();
  EXPECT_TRUE(feed.stage(RepoSeen{repo(2), Level::Full, {kA}, {}}));
  EXPECT_FALSE(feed.stage(RepoGone{repo(1)}));
}

TEST_F(Fed, ChangesARepositoryOnceForAllItsNewRelays) {  // R2
  feed.stage(RepoSeen{repo(1), Level::Full, {kA, kB}, {}});
  const auto added = commit();
  ASSERT_EQ(added.size(), 2U);
  EXPECT_EQ(repos_on(added[0]), 1U);
  EXPECT_EQ(repos_on(added[1]), 1U);
  EXPECT_EQ(context.targets.take_changed().size(), 2U);
}

TEST_F(Fed, TakesARepositoryThatIsGoneFromItsRelays) {
  feed.stage(RepoSeen{repo(1), Level::Full, {kA}, {}});
  const auto added = commit();
  feed.stage(RepoGone{repo(1)});
  EXPECT_TRUE(commit().empty());
  EXPECT_EQ(repos_on(added.at(0)), 0U);
}

TEST_F(Fed, FollowsTheBootstrapRelaysOnceTheHistoryWasRead) {
  context.options.bootstrap = {*nostr::RelayUrl::parse(kA)};
  ASSERT_EQ(feed.end_history(kNow).size(), 1U);
  EXPECT_TRUE(feed.end_history(kNow).empty()) << "it is followed already";
  EXPECT_TRUE(feed.is_complete());
}

}  // namespace feed_test
}  // namespace graspd::sync
