#include "app/sync_once/sync_intake.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace sync_intake_test {

using serve::Fate;

TEST(FateOf, IsReadFromOurOwnServersAnswers) {
  EXPECT_EQ(fate_of(true, ""), Fate::Stored);
  EXPECT_EQ(fate_of(true, "duplicate: already have this event"), Fate::Known);
  EXPECT_EQ(fate_of(true, "duplicate: superseded by a newer event"), Fate::Refused);
  EXPECT_EQ(fate_of(true, "purgatory: won't be served until git data arrives"), Fate::Held);
  EXPECT_EQ(fate_of(false, "blocked: this event is deleted"), Fate::Refused);
  EXPECT_EQ(fate_of(false, "invalid: created_at is more than 900 seconds in the future"),
            Fate::Refused);
  EXPECT_EQ(fate_of(false, "invalid: the signature is wrong"), Fate::Forged);
  EXPECT_EQ(fate_of(false, "error: the disk is full"), Fate::Failed);
}

TEST(FateOf, IsOpenWhileTheServerIsBusy) {
  EXPECT_EQ(fate_of(false, "rate-limited: the server is busy, try again later"), std::nullopt);
}

}  // namespace sync_intake_test
}  // namespace graspd::app
