#include "serve/sync/sync_feed.h"

#include <gtest/gtest.h>

#include "store/testing/memory_store.h"

namespace graspd::serve {
namespace sync_feed_test {

grasp::Listing listing(bool is_private) {
  grasp::Announcement announced{.coordinate = {{}, *grasp::Identifier::parse("project")}};
  announced.is_private = is_private;
  return {announced, grasp::Place::Served, true};
}

// Is the repository told, so that other relays are asked for it?
bool is_told(bool is_private, sync::Peers peers) {
  const store::MemoryStore store;
  const auto changed = [&] {
    const grasp::Listing one = listing(is_private);
    return SyncSources::Changed{{one.announcement.coordinate, one}};
  };
  bool is_told = false;
  SyncFeed(changed, store, peers).repositories([&](const sync::Input& input) {
    is_told = std::holds_alternative<sync::RepoSeen>(input);
  });
  return is_told;
}

TEST(SyncFeed, TellsAPrivateRepositoryOnlyOnAPrivateServer) {  // R4
  EXPECT_TRUE(is_told(false, sync::Peers::Public));
  EXPECT_FALSE(is_told(true, sync::Peers::Public));
  EXPECT_TRUE(is_told(true, sync::Peers::Private));
}

}  // namespace sync_feed_test
}  // namespace graspd::serve
