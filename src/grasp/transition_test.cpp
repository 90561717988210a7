#include "grasp/transition.h"

#include <gtest/gtest.h>

namespace graspd::grasp {
namespace {

Transition one_of_each() {
  const Coordinate coordinate{nostr::PublicKey(), *Identifier::parse("project")};
  Transition all;
  all.put_note({"key", "value"});
  all.add(store::Remove{});
  all.add(store::Restore{});
  all.add(store::Revoke{});
  all.add(AlignGroup{coordinate.identifier});
  all.add(RemoveRepository{coordinate});
  all.add(DropPullRefs{});
  all.add(DiscardUpload{"token"});
  all.add(ArchiveThreads{{coordinate, {}}});
  all.add(RestoreThreads{coordinate});
  all.add(ForgetThreads{coordinate});
  all.add(Retry{});
  all.add(AskAgain{*nostr::RelayUrl::parse("wss://peer.example"), {}});
  return all;
}

TEST(Transitions, AreJoinedWithEveryKindOfChange) {  // R2
  Transition joined = one_of_each();
  joined.append(one_of_each());
  ASSERT_EQ(joined.changes().size(), 2 * std::variant_size_v<Change>);
  for (std::size_t i = 0; i < joined.changes().size(); ++i)
    EXPECT_EQ(joined.changes()[i].index(), i % std::variant_size_v<Change>);
}

TEST(Transitions, GiveTheStoreWhatIsWrittenAndKeepTheRest) {  // R1
  Transition changes = one_of_each();
  const store::Changes written = changes.take_writes();
  ASSERT_EQ(written.size(), std::variant_size_v<store::Change>);
  EXPECT_EQ(std::get<store::Note>(written[0]).key, "key");
  EXPECT_EQ(changes.changes().size(),
            std::variant_size_v<Change> - std::variant_size_v<store::Change>);
  EXPECT_EQ(changes.all<DiscardUpload>().front().token, "token");
  EXPECT_TRUE(changes.take_writes().empty());
}

}  // namespace
}  // namespace graspd::grasp
