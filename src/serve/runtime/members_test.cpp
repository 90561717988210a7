#include "serve/runtime/members.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace members_test {

nostr::PublicKey member_key(std::uint8_t n) {
  nostr::PublicKey::Bytes bytes{};
  bytes[0] = n;
  return nostr::PublicKey(bytes);
}

TEST(Members, TellListenersOfWhatAlreadyCounts) {  // R1, R2
  Members members(relay::MemberSet(member_key(1), {member_key(2)}, relay::MemberSet::Derives::Yes));
  std::vector<bool> told;
  members.listen([&] { told.push_back(members.contains(member_key(2))); });
  members.use_named({member_key(2)});
  EXPECT_TRUE(told.empty());
  members.use_derived({member_key(3)});
  members.use_named({});
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
  EXPECT_TRUE(members.contains(member_key(3)));
  members.close();
  members.use_named({member_key(2)});
  EXPECT_EQ(told.size(), 2U);
}

}  // namespace members_test
}  // namespace graspd::serve
