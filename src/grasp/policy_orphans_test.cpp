#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace policy_orphans_test {

using namespace testing;

const std::string kFull = "rate-limited: too many events wait for git data here; try again later";
const std::string kYoursAreMany =
    "rate-limited: too many of your events wait for git data; push some first";

PolicyOptions with_space_for(std::size_t bytes) {
  PolicyOptions with = options();
  with.purgatory.bytes_max = bytes;
  return with;
}

nostr::WireEventPtr big_announcement(std::uint32_t owner, std::size_t bytes,
                                     const std::string& identifier = "project") {
  return announcement(owner, {.identifier = identifier, .more = {{"x", std::string(bytes, 'x')}}});
}

TEST(PolicyOrphans, IsTakenFromWhoHasMost) {  // R9
  World world(with_space_for(12'000));
  const auto modest = announcement(2);
  world.send(modest);
  const auto first = big_announcement(1, 5'000), second = big_announcement(1, 4'000, "other");
  EXPECT_EQ(world.send(first), "purgatory");
  world.pass(1);
  EXPECT_EQ(world.send(second), "purgatory");
  const auto newcomer = big_announcement(3, 3'000);
  EXPECT_EQ(world.send(newcomer), "purgatory");
  EXPECT_FALSE(world.holds(first));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_EQ(world.performed.asleep, std::vector{coordinate(1)});
  for (const auto& wire : {modest, second, newcomer}) EXPECT_TRUE(world.holds(wire));
  world.restart();
  EXPECT_FALSE(world.holds(first));
  EXPECT_TRUE(world.holds(second));
}

TEST(PolicyOrphans, IsNotTakenByWhoWouldHaveMost) {  // R9
  World world(with_space_for(12'000));
  const auto one = big_announcement(1, 4'000), two = big_announcement(2, 4'000);
  world.send(one);
  world.send(two);
  EXPECT_EQ(world.send(big_announcement(3, 5'000)), kFull);
  EXPECT_TRUE(world.holds(one));
  EXPECT_TRUE(world.holds(two));
}

TEST(PolicyOrphans, OfMembersIsNeverTakenByStrangers) {  // R9
  World world(with_space_for(12'000));
  world.serve(1);
  const auto waiting = big_announcement(1, 9'000, "other");
  EXPECT_EQ(world.send(waiting), "purgatory");
  EXPECT_EQ(world.send(big_announcement(2, 3'000)), kFull);
  EXPECT_TRUE(world.holds(waiting));
}

TEST(PolicyOrphans, OfStrangersIsTakenByMembers) {  // R9
  World world(with_space_for(12'000));
  world.serve(1);
  std::vector<nostr::WireEventPtr> crowd;
  for (std::uint32_t i = 0; i < 11; ++i) crowd.push_back(big_announcement(10 + i, 500));
  for (const auto& wire : crowd) EXPECT_EQ(world.send(wire), "purgatory");
  const auto much = big_announcement(1, 6'000, "other");
  EXPECT_EQ(world.send(much), "purgatory");
  EXPECT_TRUE(world.holds(much));
  world.serve(2);
  EXPECT_EQ(world.send(big_announcement(2, 6'100, "more")), kFull);
  const auto modest = big_announcement(2, 5'900, "more");
  EXPECT_EQ(world.send(modest), "purgatory");
  EXPECT_FALSE(world.holds(much));
  EXPECT_TRUE(world.holds(modest));
}

TEST(PolicyOrphans, OfOneAuthorIsAShareOfIt) {  // R9
  PolicyOptions with = options();
  with.purgatory.bytes_per_author_max = 3'000;
  World world(with);
  EXPECT_EQ(world.send(big_announcement(1, 2'000)), "purgatory");
  EXPECT_EQ(world.send(big_announcement(1, 2'000, "other")), kYoursAreMany);
  EXPECT_EQ(world.send(big_announcement(2, 2'000)), "purgatory");
}

TEST(PolicyOrphans, IsTakenFromStatesAndPullRequestsToo) {  // R9
  World world(with_space_for(16'000));
  world.serve(1);
  const std::string padding(6'000, 'x');
  const auto pull =
      event(5, 1618, kStart, tags({{"a", address(1)}, {"c", oid('b')}, {"x", padding}}));
  const auto mine = announcement(6);
  const auto state_of_mine = event(
      6, 30618, kStart, tags({{"d", "project"}, {"refs/heads/main", oid('c')}, {"x", padding}}));
  for (const auto& wire : {pull, mine, state_of_mine}) EXPECT_EQ(world.send(wire), "purgatory");
  EXPECT_EQ(world.send(big_announcement(7, 4'000)), "purgatory");
  EXPECT_FALSE(world.holds(mine) && world.holds(state_of_mine));
  EXPECT_EQ(world.send(big_announcement(8, 4'000)), "purgatory");
  EXPECT_FALSE(world.holds(pull) && world.holds(state_of_mine));
}

PolicyOptions with_places(std::size_t all, std::size_t per_address, std::size_t per_relay = 0) {
  PolicyOptions with = options();
  with.purgatory.announcements_max = all;
  with.purgatory.announcements_per_address_max = per_address;
  with.purgatory.announcements_per_relay_max = per_relay;
  return with;
}

core::IpAddress address_of(const char* text) { return *core::IpAddress::parse(text); }

const std::string kAddressFull =
    "rate-limited: 2 announcements from your address wait for git data here, and no more may; push "
    "to their repositories first";
const std::string kPlacesFull =
    "rate-limited: 3 announcements wait for git data here, and no more may; try again later";

TEST(PolicyOrphans, IsBoundedForTheNewRepositoriesThatOneRelayBringsInADay) {
  PolicyOptions with = options();
  with.new_repositories_per_relay = 2;
  const auto trusted = nostr::RelayUrl::parse("wss://trusted.example");
  with.trusted_relays = {*trusted};
  World world(with);
  const auto relay = world.relay;
  constexpr bool kSynced = true;
  EXPECT_EQ(world.send(announcement(1), kSynced), "purgatory");
  world.serve(1);  // that its git data came makes no difference
  EXPECT_EQ(world.send(announcement(2), kSynced), "purgatory");
  const std::string full =
      "rate-limited: this relay brought 2 new repositories within a day, and no more may come from "
      "it; try again later";
  EXPECT_EQ(world.send(announcement(3), kSynced), full);
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 1}), kSynced), "purgatory");  // is known
  EXPECT_EQ(world.send(announcement(1, {.identifier = "more"}), kSynced),
            "purgatory");  // takes part
  world.relay = std::make_shared<const nostr::RelayUrl>(*trusted);
  for (const std::uint32_t owner : {3, 4, 5, 6})
    EXPECT_EQ(world.send(announcement(owner), kSynced), "purgatory");
  world.relay = relay;
  EXPECT_EQ(world.send(announcement(7), kSynced), full);
  EXPECT_EQ(world.send(announcement(7)), "purgatory") << "a person is not the relay";
  world.pass(12 * 3600);
  EXPECT_EQ(world.send(announcement(8), kSynced), "purgatory");
}

TEST(PolicyOrphans, IsBoundedForTheAnnouncementsOfOneAddress) {
  World world(with_places(100, 2));
  world.client = address_of("2001:db8::1");
  EXPECT_EQ(world.send(announcement(1)), "purgatory");
  world.client = address_of("2001:db8::2");  // of the same customer
  EXPECT_EQ(world.send(announcement(2)), "purgatory");
  EXPECT_EQ(world.send(announcement(3)), kAddressFull);
  EXPECT_EQ(world.send(announcement(2, {.at = kStart + 1})), "purgatory");  // instead of the other
  world.restart();
  EXPECT_EQ(world.send(announcement(3)), kAddressFull);
  world.client = address_of("192.0.2.1");
  EXPECT_EQ(world.send(announcement(3)), "purgatory");
  world.client = address_of("2001:db8::1");
  world.serve(1);
  EXPECT_EQ(world.send(announcement(4)), "purgatory");  // one waits no longer
}

TEST(PolicyOrphans, IsBoundedForTheAnnouncementsOfOneRelay) {
  World world(with_places(100, 1, 2));
  world.relay = std::make_shared<nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://a.example"));
  for (std::uint32_t i = 1; i < 3; ++i) EXPECT_EQ(world.send(announcement(i), true), "purgatory");
  EXPECT_TRUE(world.send(announcement(3), true).starts_with("rate-limited: 2 announcements from"));
  world.relay = std::make_shared<nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://b.example"));
  EXPECT_EQ(world.send(announcement(3), true), "purgatory");
}

TEST(PolicyOrphans, ForAnnouncementsIsTakenFromTheAddressThatHasMost) {
  World world(with_places(3, 100));
  world.client = address_of("192.0.2.1");
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_EQ(world.send(announcement(i)), "purgatory");
  EXPECT_EQ(world.send(announcement(4)), kPlacesFull);
  world.client = address_of("192.0.2.2");
  EXPECT_EQ(world.send(announcement(5)), "purgatory");
  EXPECT_FALSE(world.holds(announcement(1)));
  EXPECT_FALSE(world.is_open(1));
  EXPECT_TRUE(world.holds(announcement(2)));
  EXPECT_EQ(world.send(announcement(6)), kPlacesFull);  // both would have two
}

TEST(PolicyOrphans, ForAnnouncementsOfMembersIsNotHeldAgainstAnAddress) {
  World world(with_places(3, 1));
  world.serve(1);
  world.client = address_of("192.0.2.1");
  EXPECT_EQ(world.send(announcement(2)), "purgatory");
  for (const char* name : {"one", "two", "three"})
    EXPECT_EQ(world.send(announcement(1, {.identifier = name})), "purgatory");
  EXPECT_FALSE(world.holds(announcement(2)));  // strangers go first
  EXPECT_EQ(world.send(announcement(1, {.identifier = "four"})), kPlacesFull);
}

}  // namespace policy_orphans_test
}  // namespace graspd::grasp
