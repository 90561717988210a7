// A part of store/testing/contract_suite.h, which includes it: what a backend forgets when it is
// told to.
#pragma once

namespace graspd::store::testing {

TEST_P(StoreContract, RevokesRequestsWithWhatTheyAloneKeptOut) {  // W11
  const auto note = event(1, 1, 10), other = event(1, 1, 11);
  const auto both = event(1, 5, 20, {{"e", note->event.id.hex()}, {"e", other->event.id.hex()}});
  const auto one = event(1, 5, 21, {{"e", other->event.id.hex()}});
  const auto vanish = event(2, 62, 20);
  const std::vector<Write> writes{{both}, {one}, {vanish, true}};
  const std::vector<nostr::EventId> revoked{both->event.id, vanish->event.id};
  ASSERT_TRUE(store_->write(Batch{writes, {}, {}, revoked}, kNow));
  EXPECT_FALSE(has(both));
  EXPECT_FALSE(has(vanish));
  EXPECT_EQ(write(note), Outcome::Stored);
  EXPECT_EQ(write(other), Outcome::Deleted);
  EXPECT_EQ(write(event(2, 1, 10)), Outcome::Stored);
  EXPECT_EQ(write(both), Outcome::Stored);
  EXPECT_FALSE(has(note));
}

}  // namespace graspd::store::testing
