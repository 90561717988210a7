#include "store/answer.h"

#include <gtest/gtest.h>

namespace graspd::store {
namespace answer_test {

TEST(StoreAnswer, SaysTrueToWhatNeedNotComeAgain) {
  EXPECT_TRUE(answer_to(Outcome::Stored).accepted);
  EXPECT_TRUE(answer_to(Outcome::Duplicate).accepted);
  EXPECT_TRUE(answer_to(Outcome::Superseded).accepted);
  EXPECT_EQ(answer_to(Outcome::Superseded).outcome, nostr::Outcome::Refused);
}

TEST(StoreAnswer, NamesTheReasonOfARefusal) {
  for (const Outcome outcome : {Outcome::Deleted, Outcome::Vanished, Outcome::Expired}) {
    EXPECT_FALSE(answer_to(outcome).accepted);
    EXPECT_TRUE(answer_to(outcome).text.starts_with("blocked: "));
  }
}

}  // namespace answer_test
}  // namespace graspd::store
