#include "serve/host/alignment_scope.h"

#include <gtest/gtest.h>
#include <set>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace alignment_scope_test {

using namespace host_testing;
using grasp::Coordinate;

constexpr std::uint8_t kOwner = 1, kFriend = 2, kFirstStranger = 3, kStrangers = 5;

Coordinate repo(std::uint8_t of) {
  return {keypair(of).public_key(), *grasp::Identifier::parse("project")};
}

nostr::Event naming(std::uint8_t by, std::uint8_t maintainer) {
  auto event = announcement(by, "us.example");
  event.tags.begin_row();
  event.tags.append("maintainers");
  event.tags.append(keypair(maintainer).public_key().hex());
  keypair(by).sign(event, {});
  return event;
}

// An owner with a friend, and strangers who say that the owner maintains what is theirs.
class AlignmentScopes : public ::testing::Test {
 protected:
  AlignmentScopes() {
    world.ask(naming(kOwner, kFriend));
    world.ask(naming(kFriend, kOwner));
    for (std::uint8_t i = 0; i < kStrangers; ++i) world.ask(naming(kFirstStranger + i, kOwner));
  }
  KnownPolicy known() { return world.host->hosting().known(); }

  Host world;
  const std::vector<Coordinate> people{repo(kOwner), repo(kFriend)};
};

TEST_F(AlignmentScopes, R1_AreTheRepositoriesOfItsPeople) {
  const auto scope = around(*known(), repo(kOwner), 16);
  EXPECT_EQ(scope.repos, people);
  EXPECT_FALSE(scope.patient);
  const auto of_state =
      around_state(*known(), keypair(kOwner).public_key(), repo(kOwner).identifier, 16);
  EXPECT_EQ(of_state.repos, people);
}

TEST_F(AlignmentScopes, R3_LeaveOutWhatAnAuthorDoesNotRule) {
  const auto only_of = [&](std::uint8_t author) {
    AlignmentScope scope{.repos = {repo(kOwner), repo(kFriend), repo(kFirstStranger)}, .pulls = {}};
    scope.ruled_by =
        std::make_shared<const std::set<nostr::PublicKey>>(std::set{keypair(author).public_key()});
    leave_out_others(*known(), scope);
    return scope.repos;
  };
  EXPECT_EQ(only_of(kFirstStranger), std::vector{repo(kFirstStranger)});
  EXPECT_EQ(only_of(kOwner).size(), 3U);
  EXPECT_TRUE(only_of(kFirstStranger + kStrangers).empty());
}

TEST_F(AlignmentScopes, R1_AreBounded) {
  const auto scope = around(*known(), repo(kOwner), 1);
  EXPECT_EQ(scope.repos, std::vector{repo(kOwner)});
}

TEST_F(AlignmentScopes, R2_ListAllInTheEnd) {
  const auto all = slices(*known(), repo(kOwner).identifier, 2);
  std::set<Coordinate> listed;
  for (const AlignmentScope& slice : all) {
    EXPECT_LE(slice.repos.size(), 2U);
    EXPECT_TRUE(slice.patient);
    listed.insert(slice.repos.begin(), slice.repos.end());
  }
  EXPECT_EQ(listed.size(), 2U + kStrangers);
  const auto none = *grasp::Identifier::parse("unknown");
  EXPECT_EQ(slices(*known(), none, 2).size(), 1U);
}

}  // namespace alignment_scope_test
}  // namespace graspd::serve
