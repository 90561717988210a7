#include "grasp/archive.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace archive_test {

using namespace testing;

const std::string kReadOnly =
    "invalid: Archive read-only mode: announcement must match archive whitelist.";
const Announced kElsewhere{.listed = false};  // at them.example

Announcement parsed(const nostr::WireEventPtr& wire) { return *parse_announcement(wire->event); }

AccessList list(std::uint32_t owner) {
  return AccessList::parse(nostr::nip19::npub(author(owner))).list;
}

PolicyOptions archiving(Archive archive) {
  PolicyOptions with = options();
  with.archive = std::move(archive);
  return with;
}

TEST(Archives, R1_WantAllOrSomeOrNone) {
  const Announcement one = parsed(announcement(1, kElsewhere));
  EXPECT_FALSE(Archive{}.wants(one));
  EXPECT_TRUE(Archive{.all = true}.wants(one));
  EXPECT_TRUE(Archive{.whitelist = list(1)}.wants(one));
  EXPECT_FALSE(Archive{.whitelist = list(2)}.wants(one));
}

TEST(Archives, R1_WantWhatOtherServicesHost) {
  const auto wants = [](std::string_view domain, const std::string& clone) {
    Announcement announcement = parsed(testing::announcement(1));
    announcement.clone = {"https://elsewhere.example/a.git", clone};
    return Archive{.services = {*Service::parse("other.example"), *Service::parse(domain)}}.wants(
        announcement);
  };
  EXPECT_TRUE(wants("them.example", "https://them.example/npub1x/a.git"));
  EXPECT_TRUE(wants("them.example", "https://THEM.example:443/a.git"));
  EXPECT_TRUE(wants("them.example:8080", "http://them.example:8080/a.git"));
  for (const char* url :
       {"https://them.example:8443/a.git", "https://them.example.evil/a.git",
        "https://evil.example/?x=them.example", "https://evil.example/them.example/a.git",
        "https://them.example@evil.example/a.git", "nonsense"})
    EXPECT_FALSE(wants("them.example", url)) << url;
}

TEST(Archives, KeepWhatDoesNotNameThisService) {
  World world(archiving({.all = true}));
  const auto announced = announcement(1, kElsewhere), declared = state(1);
  EXPECT_EQ(world.send(announced, true), "purgatory");
  EXPECT_TRUE(world.is_open(1));
  EXPECT_EQ(world.send(declared, true), "purgatory");
  world.release({announced, declared});
  EXPECT_TRUE(world.has(announced));
  EXPECT_TRUE(world.has(declared));
  EXPECT_EQ(world.send(announcement(2)), "purgatory");  // lists us: as ever
}

TEST(Archives, RefuseWhatTheyDoNotWant) {
  World world(archiving({.whitelist = list(1)}));
  EXPECT_EQ(world.send(announcement(1, kElsewhere)), "purgatory");
  EXPECT_TRUE(world.send(announcement(2, kElsewhere))
                  .starts_with("invalid: Announcement must list service"));
}

TEST(Archives, R2_TakeNothingBecauseItListsThisService) {
  World world(archiving({.whitelist = list(1), .read_only = true}));
  EXPECT_EQ(world.send(announcement(1, kElsewhere)), "purgatory");
  EXPECT_EQ(world.send(announcement(1, {.at = kStart + 1})), "purgatory");
  EXPECT_TRUE(world.send(announcement(2)).starts_with(kReadOnly));
}

TEST(Archives, StillObeyTheBlacklist) {
  PolicyOptions with = archiving({.all = true});
  with.repository_blacklist = list(1);
  World world(with);
  EXPECT_TRUE(world.send(announcement(1, kElsewhere)).starts_with("blocked: Repository owner"));
}

TEST(Archives, FollowARepositoryThatMovesAwayFromHere) {
  World world(archiving({.all = true}));
  const auto announced = announcement(1), declared = state(1);
  world.send(announced);
  world.send(declared);
  world.release({announced, declared});
  const auto moved = announcement(1, {.at = kStart + 1, .listed = false});
  EXPECT_EQ(world.send(moved), "stored");
  EXPECT_TRUE(world.is_open(1));
}

}  // namespace archive_test
}  // namespace graspd::grasp
