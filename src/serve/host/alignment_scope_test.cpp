#include "serve/host/alignment_scope.h"

#include <gtest/gtest.h>
#include <set>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace alignment_scope_test {

using namespace host_testing;
using grasp::Coordinate;

constexpr std::uint8_t kOwner = 1, kFriend = 2, kFirstStranger = 3, kStrangers = 5;

Coordinate view(std::uint8_t of) {
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
  const std::vector<Coordinate> people{view(kOwner), view(kFriend)};
};

TEST_F(AlignmentScopes, R1_AreTheViewsOfItsPeople) {
  const auto scope = around(*known(), view(kOwner), 16);
  EXPECT_EQ(scope.views, people);
  EXPECT_FALSE(scope.patient);
  const auto of_state =
      around_state(*known(), keypair(kOwner).public_key(), view(kOwner).identifier, 16);
  EXPECT_EQ(of_state.views, people);
}

TEST_F(AlignmentScopes, R3_LeaveOutWhatAnAuthorDoesNotRule) {
  const auto only_of = [&](std::uint8_t author) {
    AlignmentScope scope{.views = {view(kOwner), view(kFriend), view(kFirstStranger)}, .pulls = {}};
    scope.ruled_by =
        std::make_shared<const std::set<nostr::PublicKey>>(std::set{keypair(author).public_key()});
    leave_out_others(*known(), scope);
    return scope.views;
  };
  EXPECT_EQ(only_of(kFirstStranger), std::vector{view(kFirstStranger)});
  EXPECT_EQ(only_of(kOwner).size(), 3U);
  EXPECT_TRUE(only_of(kFirstStranger + kStrangers).empty());
}

TEST_F(AlignmentScopes, R1_AreBounded) {
  const auto scope = around(*known(), view(kOwner), 1);
  EXPECT_EQ(scope.views, std::vector{view(kOwner)});
}

TEST_F(AlignmentScopes, R2_ListAllInTheEnd) {
  const auto all = slices(*known(), view(kOwner).identifier, 2);
  std::set<Coordinate> listed;
  for (const AlignmentScope& slice : all) {
    EXPECT_LE(slice.views.size(), 2U);
    EXPECT_TRUE(slice.patient);
    listed.insert(slice.views.begin(), slice.views.end());
  }
  EXPECT_EQ(listed.size(), 2U + kStrangers);
  const auto none = *grasp::Identifier::parse("unknown");
  EXPECT_EQ(slices(*known(), none, 2).size(), 1U);
}

}  // namespace alignment_scope_test
}  // namespace graspd::serve
