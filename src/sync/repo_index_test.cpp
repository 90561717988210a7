#include "sync/repo_index.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace repo_index_test {

const nostr::Address kRepo{{30617}, {}, "one"};
const nostr::Address kOther{{30617}, {}, "two"};

nostr::EventId id(std::uint8_t number) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = number;
  return nostr::EventId(bytes);
}

TEST(RepoIndex, ReplacesTheRelaySet) {  // R1
  RepoIndex index;
  const RepoId repo = index.repo(kRepo);
  index.follow(repo, Level::Full, {RelayId{1}, RelayId{2}});
  index.follow(repo, Level::Full, {RelayId{3}});
  EXPECT_EQ(index.at(repo).relays, std::vector{RelayId{3}});
  index.unfollow(repo);
  EXPECT_TRUE(index.at(repo).relays.empty());
  EXPECT_EQ(index.at(repo).level, std::nullopt);
}

TEST(RepoIndex, KnowsARootBeforeItsAnnouncementAndForEveryRepositoryItTags) {  // R2
  RepoIndex index;
  const auto gained = index.add_root(id(1), {kRepo, kOther}, 100);
  EXPECT_EQ(gained.size(), 2u);
  EXPECT_TRUE(index.add_root(id(1), {kRepo}, 200).empty());
  const RootId root = *index.find_root(id(1));
  EXPECT_TRUE(index.at(index.repo(kOther)).roots.contains(root.value));
  EXPECT_EQ(index.last_active(root), 200);
  index.touch(id(1), 300);
  EXPECT_EQ(index.last_active(root), 300);
  EXPECT_EQ(index.remove_root(root).size(), 2u);
  EXPECT_TRUE(index.at(index.repo(kRepo)).roots.empty());
}

TEST(RepoIndex, DoesNotFallFromFullToStateOnly) {  // R3
  RepoIndex index;
  const RepoId repo = index.repo(kRepo);
  index.follow(repo, Level::StateOnly, {});
  EXPECT_EQ(index.at(repo).level, Level::StateOnly);
  index.follow(repo, Level::Full, {});
  index.follow(repo, Level::StateOnly, {});
  EXPECT_EQ(index.at(repo).level, Level::Full);
}

}  // namespace repo_index_test
}  // namespace graspd::sync
