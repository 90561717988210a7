#include "app/sync_once/sync_intake.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace sync_intake_test {

using nostr::Outcome;

TEST(OutcomeOf, IsReadFromOurOwnServersAnswers) {
  EXPECT_EQ(outcome_of(true, ""), Outcome::Stored);
  EXPECT_EQ(outcome_of(true, "duplicate: already have this event"), Outcome::Known);
  EXPECT_EQ(outcome_of(true, "duplicate: superseded by a newer event"), Outcome::Refused);
  EXPECT_EQ(outcome_of(true, "purgatory: won't be served until git data arrives"), Outcome::Held);
  EXPECT_EQ(outcome_of(false, "blocked: this event is deleted"), Outcome::Refused);
  EXPECT_EQ(outcome_of(false, "invalid: created_at is more than 900 seconds in the future"),
            Outcome::Refused);
  EXPECT_EQ(outcome_of(false, "invalid: the signature is wrong"), Outcome::Forged);
  EXPECT_EQ(outcome_of(false, "error: the disk is full"), Outcome::Failed);
}

TEST(OutcomeOf, IsOpenWhileTheServerIsBusy) {
  EXPECT_EQ(outcome_of(false, "rate-limited: the server is busy, try again later"), std::nullopt);
}

}  // namespace sync_intake_test
}  // namespace graspd::app
