#include "grasp/rejections.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"
#include "grasp/related.h"

namespace graspd::grasp {
namespace rejections_test {
using namespace testing;

struct Rejected {
  explicit Rejected(std::uint32_t by)
      : wire(event(by, 1111, kStart, tags({{"e", missing->event.id.hex()}}))) {}
  static inline const nostr::WireEventPtr missing = event(1, 1621, kStart);
  nostr::WireEventPtr wire;
};

TEST(Rejections, KeepNothingThatWasOurOwnTrouble) {  // R1
  Rejections rejections({}, {});
  Transition changes;
  rejections.remember(Rejected(2).wire, {.synced = true}, Reason::Passing, kStart, changes);
  EXPECT_TRUE(changes.empty());
  EXPECT_EQ(rejections.orphans().size() + rejections.ids().size(), 0U);
}

TEST(Rejections, TryAgainWhatIsWholeAndAskForTheRest) {  // R2
  OrphanPoolLimits small;
  small.event_bytes_max = 1;  // nothing is kept whole
  Rejections whole({}, {}), by_id(small, {});
  const auto relay =
      std::make_shared<const nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://peer.example"));
  for (Rejections* rejections : {&whole, &by_id}) {
    Transition changes;
    rejections->remember(Rejected(2).wire, {true, relay}, Reason::Lacking, kStart, changes);
    rejections->call(calls_of(Rejected::missing->event));
    changes = {};
    rejections->answer_calls(changes);
    EXPECT_EQ(changes.all<Retry>().size(), rejections == &whole ? 1U : 0U);
    EXPECT_EQ(changes.all<AskAgain>().size(), rejections == &whole ? 0U : 1U);
    EXPECT_EQ(rejections->ids().size(), 0U);
  }
}

TEST(Rejections, ForgetWhatIsTakenAfterAll) {
  Rejections rejections({}, {});
  Transition changes;
  rejections.remember(Rejected(2).wire, {.synced = true}, Reason::Lacking, kStart, changes);
  EXPECT_EQ(rejections.orphans().size() + rejections.ids().size(), 2U);
  rejections.remember(Rejected(2).wire, {.synced = true}, Reason::None, kStart, changes);
  EXPECT_EQ(rejections.orphans().size() + rejections.ids().size(), 0U);
}

}  // namespace rejections_test
}  // namespace graspd::grasp
