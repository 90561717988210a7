#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace grasp_host_test {

using namespace host_testing;
using Ids = std::vector<nostr::EventId>;

TEST(GraspHost, KnowsWhatNeedNotComeAgain) {
  Host world;
  const auto held = announcement(1, "us.example");
  const auto refused = announcement(2, "them.example");
  const auto lonely = signed_event(3, 1621, {{"a", "30617:" + std::string(64, 'a') + ":x"}});
  EXPECT_EQ(world.ask(held), Outcome::Held);
  EXPECT_EQ(world.ask(refused), Outcome::Refused);
  EXPECT_EQ(world.ask(lonely), Outcome::Refused);
  for (const auto& event : {held, refused, lonely}) EXPECT_TRUE(world.host->knows(event.id));
  EXPECT_FALSE(world.host->knows(nostr::EventId()));

  nostr::Filter announcements;
  announcements.kinds = {{{30617}}};
  std::set<nostr::EventId> found;
  const auto known = world.host->known(announcements);
  for (const store::Position& position : known) found.insert(position.id);
  EXPECT_EQ(found, (std::set<nostr::EventId>{held.id, refused.id}));
  EXPECT_EQ(known.size(), 2U);  // each once, though it is kept twice
  announcements.tags = {{'d', {"other"}}};
  EXPECT_TRUE(world.host->known(announcements).empty());
}

TEST(GraspHost, TriesAgainWhatLackedWhatCameAndTellsWhatItDidNotKeep) {
  Host world;
  std::mutex mutex;
  std::vector<std::pair<nostr::RelayUrl, Ids>> wanted;
  world.host->on_wanted_again([&](const nostr::RelayUrl& relay, const Ids& ids) {
    std::lock_guard lock(mutex);
    wanted.emplace_back(relay, ids);
  });
  const auto guest = announcement(2, "them.example");
  const auto big = announcement(2, "them.example", std::string(150'000, 'x'));
  EXPECT_EQ(world.ask(guest), Outcome::Refused);
  EXPECT_EQ(world.ask(big), Outcome::Refused);
  const auto key = keypair(2).public_key().hex();
  auto owner = announcement(1, "us.example");
  owner.tags.begin_row();
  owner.tags.append("maintainers");
  owner.tags.append(key);
  keypair(1).sign(owner, {});
  EXPECT_EQ(world.ask(owner), Outcome::Held);
  EXPECT_EQ(world.fate(guest, 1), Outcome::Held);
  EXPECT_TRUE(world.host->knows(guest.id));
  world.host->on_wanted_again({});
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted[0].first, *world.peer);
  EXPECT_EQ(wanted[0].second, Ids{big.id});
  EXPECT_FALSE(world.host->knows(big.id));
}

}  // namespace grasp_host_test
}  // namespace graspd::serve
