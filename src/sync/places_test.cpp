#include "sync/places.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::sync {
namespace places_test {

using nostr::RelayUrl;

RelayUrl url(const std::string& host, int port = 443) {
  return *RelayUrl::parse("wss://" + host + ":" + std::to_string(port));
}
std::vector<RelayUrl> urls(const std::string& name, int count) {
  std::vector<RelayUrl> out;
  for (int i = 0; i < count; ++i) out.push_back(url(name + std::to_string(i) + ".example"));
  std::sort(out.begin(), out.end());
  return out;
}
Places::Owner owner(std::uint8_t number) {
  Places::Owner::Bytes bytes{};
  bytes[0] = number;
  return Places::Owner(bytes);
}
std::size_t placed(const Places& places, const std::vector<RelayUrl>& all) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const RelayUrl& one) { return places.has_place(one); }));
}

TEST(Places, GivesNoOwnerMoreThanTheirShare) {  // R1
  Places places({.all = 100, .per_owner = 5, .per_host = 0});
  const auto many = urls("many", 60), few = urls("few", 2);
  places.list(RepoId{1}, owner(1), many);
  places.list(RepoId{2}, owner(2), few);
  EXPECT_EQ(places.give().size(), 7u);
  EXPECT_EQ(placed(places, many), 5u);
  EXPECT_EQ(placed(places, few), 2u);
  EXPECT_EQ(places.waiting().for_owner, 55u);
  EXPECT_EQ(places.refused(), 55u);
}

TEST(Places, CountsRelaysOfOneHostWhateverTheirPortAndPath) {  // R1
  Places places({.all = 100, .per_owner = 50, .per_host = 3});
  std::vector<RelayUrl> one_host;
  for (int i = 0; i < 20; ++i) {
    one_host.push_back(url("host.example", 1000 + i));
    one_host.push_back(*RelayUrl::parse("wss://host.example/" + std::to_string(i)));
  }
  std::sort(one_host.begin(), one_host.end());
  places.list(RepoId{1}, owner(1), one_host);
  EXPECT_EQ(places.give().size(), 3u);
  EXPECT_EQ(places.waiting().for_host, 37u);
}

TEST(Places, CountsTheAddressesOfOneIpv6NetworkAsOneHost) {
  Places places({.all = 100, .per_owner = 50, .per_host = 1});
  places.list(RepoId{1}, owner(1),
              {url("[2a00:1:1:1::1]"), url("[2a00:1:1:1::2]"), url("[2a00:1:1:2::1]")});
  EXPECT_EQ(places.give().size(), 2u);
}

TEST(Places, LimitsNothingWithLimitsOfZero) {
  Places places({.all = 0, .per_owner = 0, .per_host = 0});
  std::vector<RelayUrl> all;
  for (int i = 0; i < 90; ++i) all.push_back(url("host.example", 1010 + i));
  std::sort(all.begin(), all.end());
  places.list(RepoId{1}, owner(1), all);
  EXPECT_EQ(places.give().size(), 90u);
}

TEST(Places, SharesFreePlacesInTurn) {  // R3
  Places places({.all = 6, .per_owner = 0, .per_host = 0});
  const auto a = urls("a", 20), b = urls("b", 20), c = urls("c", 1);
  places.list(RepoId{1}, owner(1), a);
  places.list(RepoId{2}, owner(2), b);
  places.list(RepoId{3}, owner(3), c);
  places.give();
  EXPECT_EQ(placed(places, a), 3u);
  EXPECT_EQ(placed(places, b), 2u);
  EXPECT_EQ(placed(places, c), 1u);
  places.list(RepoId{3}, owner(3), {});
  places.leave(c[0]);
  places.give();
  EXPECT_EQ(placed(places, b), 3u) << "the one after the last to get a place";
}

TEST(Places, DoesNotLetALongLineDelayOthers) {  // R3
  Places places({.all = 4, .per_owner = 0, .per_host = 0});
  const auto crowd = urls("crowd", 100), late = urls("late", 3);
  places.list(RepoId{1}, owner(1), crowd);
  const auto first = places.give();
  places.list(RepoId{2}, owner(2), late);
  places.give();
  EXPECT_EQ(placed(places, late), 0u);  // R4
  for (const RelayUrl& one : first) {   // the places become free, and the crowd still wants them
    places.leave(one);
    places.give();
  }
  EXPECT_GE(placed(places, late), 2u);
}

TEST(Places, CountsASharedRelayForOneOwnerAndThenForAnother) {  // R2
  Places places({.all = 100, .per_owner = 1, .per_host = 0});
  const RelayUrl shared = url("shared.example"), mine = url("mine.example");
  places.list(RepoId{1}, owner(1), {shared});
  places.list(RepoId{2}, owner(2), {shared});
  places.give();
  places.list(RepoId{2}, owner(2), {mine, shared});
  EXPECT_EQ(places.give(), std::vector{mine});  // it is the other who pays for the shared one
  places.list(RepoId{1}, owner(1), {});
  EXPECT_TRUE(places.has_place(shared));
  EXPECT_EQ(places.listed_by(shared), std::vector{RepoId{2}});
  const RelayUrl more = url("more.example");
  places.list(RepoId{2}, owner(2), {mine, more, shared});
  EXPECT_TRUE(places.give().empty());
  places.list(RepoId{1}, owner(1), {more});
  EXPECT_EQ(places.give(), std::vector{more}) << "the first owner has space again";
}

TEST(Places, PrefersTheRelayThatMostRepositoriesOfAnOwnerList) {  // R3
  Places places({.all = 1, .per_owner = 0, .per_host = 0});
  const RelayUrl a = url("a.example"), b = url("b.example");
  places.list(RepoId{1}, owner(1), {a, b});
  places.list(RepoId{2}, owner(1), {b});
  EXPECT_EQ(places.give(), std::vector{b});
}

TEST(Places, TakesWhatIsTooMuchFromWhoeverWaitsForMost) {  // R5
  Places places({.all = 1, .per_owner = 0, .per_host = 0}, 10);
  places.list(RepoId{1}, owner(1), urls("crowd", 30));
  places.give();
  places.list(RepoId{2}, owner(2), urls("late", 3));
  places.give();
  EXPECT_EQ(places.waiting().total(), 10u);
  EXPECT_GT(places.waiting().overlooked, 20u);
  for (const RelayUrl& one : urls("late", 3)) EXPECT_EQ(places.listed_by(one).size(), 1u);
  places.check_invariants();
}

TEST(Places, NeverFollowsFewerThanItMay) {  // all rules, against recounting and the naive question
  constexpr PlaceLimits kLimits{.all = 12, .per_owner = 4, .per_host = 2};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    core::Rng rng(seed);
    Places places(kLimits);
    std::set<RelayUrl> here;
    std::map<RepoId, std::vector<RelayUrl>> lists;
    for (int step = 0; step < 300; ++step) {
      const RepoId repo{static_cast<std::uint32_t>(rng.below(12))};
      std::set<RelayUrl> wanted;
      for (std::uint64_t n = rng.below(8); n > 0; --n) {
        wanted.insert(url("h" + std::to_string(rng.below(12)) + ".example",
                          1000 + static_cast<int>(rng.below(4))));
      }
      lists[repo].assign(wanted.begin(), wanted.end());
      places.list(repo, owner(static_cast<std::uint8_t>(repo.value % 5)), lists[repo]);
      const auto is_listed = [&](const RelayUrl& one) { return !places.listed_by(one).empty(); };
      for (const RelayUrl& one : std::set(here)) {
        if (is_listed(one) || rng.below(2) == 0) continue;
        places.leave(one);
        here.erase(one);
      }
      for (const RelayUrl& one : places.give()) EXPECT_TRUE(here.insert(one).second);
      places.check_invariants();
      ASSERT_LE(here.size(), kLimits.all);
      std::set<RelayUrl> all;
      for (const auto& [number, list] : lists) all.insert(list.begin(), list.end());
      for (const RelayUrl& one : all) ASSERT_EQ(places.has_place(one), here.contains(one));
      const WaitingRelays waiting = places.waiting();
      ASSERT_TRUE(here.size() == kLimits.all || waiting.for_any == 0) << "seed " << seed;
    }
  }
}

}  // namespace places_test
}  // namespace graspd::sync
