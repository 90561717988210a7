#include "sync/targets.h"

#include "core/rng.h"
#include "gtest/gtest.h"

namespace graspd::sync {
namespace targets_test {

nostr::Address address(std::uint64_t number) {
  return {.kind = {30617}, .pubkey = {}, .identifier = "r" + std::to_string(number)};
}
nostr::EventId event_id(std::uint64_t number) {
  nostr::EventId::Bytes bytes{};
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nostr::EventId(bytes);
}

struct Model {
  RepoIndex index;
  Targets targets;

  void follow(std::uint64_t repo, Level level, std::vector<RelayId> relays) {
    const RepoId id = index.repo(address(repo));
    const Repo before = index.at(id);
    index.follow(id, level, std::move(relays));
    targets.repo_changed(index, id, before);
  }
  void unfollow(std::uint64_t repo) {
    const RepoId id = index.repo(address(repo));
    const Repo before = index.at(id);
    index.unfollow(id);
    targets.repo_changed(index, id, before);
  }
  void add_root(std::uint64_t root, const std::vector<nostr::Address>& repos) {
    const auto gained = index.add_root(event_id(root), repos, 0);
    targets.root_added(index, *index.find_root(event_id(root)), gained);
  }
  void remove_root(std::uint64_t root) {
    const auto id = index.find_root(event_id(root));
    if (id) targets.root_removed(index, *id, index.remove_root(*id));
  }
};

std::vector<RelayId> some_relays(core::Rng& rng) {
  std::vector<RelayId> relays;
  for (std::uint32_t id = 0; id < 6; ++id) {
    if (rng.one_in(3)) relays.push_back(RelayId{id});
  }
  return relays;
}

TEST(Targets, AreAlwaysTheFullInversion) {  // R1, R2, R3
  core::Rng rng(11);
  Model model;
  for (int step = 0; step < 5000; ++step) {
    const std::uint64_t repo = rng.below(8);
    switch (rng.below(5)) {
      case 0:
        model.follow(repo, rng.one_in(3) ? Level::StateOnly : Level::Full, some_relays(rng));
        break;
      case 1:
        if (rng.one_in(3)) model.unfollow(repo);
        break;
      case 2:
        model.remove_root(rng.below(40));
        break;
      default:
        model.add_root(rng.below(40), {address(repo), address(rng.below(8))});
    }
    ASSERT_EQ(model.targets.all(), inverted(model.index)) << "step " << step;
  }
}

TEST(Targets, NameTheRelaysThatChanged) {
  Model model;
  model.follow(1, Level::Full, {RelayId{1}, RelayId{2}});
  auto changed = model.targets.take_changed();
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[RelayId{1}].grown.repos.size(), 1u);
  EXPECT_FALSE(changed[RelayId{2}].shrank);
  model.follow(1, Level::Full, {RelayId{2}, RelayId{3}});
  changed = model.targets.take_changed();
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_TRUE(changed[RelayId{1}].shrank);
  EXPECT_EQ(changed[RelayId{3}].grown.repos.size(), 1u);
  EXPECT_TRUE(model.targets.of(RelayId{1}).empty());
}

TEST(Targets, KeepARootThatAnotherRepositoryStillWants) {  // R2
  Model model;
  model.follow(1, Level::Full, {RelayId{1}});
  model.follow(2, Level::Full, {RelayId{1}});
  model.add_root(5, {address(1), address(2)});
  model.unfollow(1);
  EXPECT_EQ(model.targets.of(RelayId{1}).roots.size(), 1u);
  model.unfollow(2);
  EXPECT_EQ(model.targets.of(RelayId{1}).roots.size(), 0u);
}

}  // namespace targets_test
}  // namespace graspd::sync
