#include "store/event_store.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::store {
namespace event_store_test {

TEST(Position, NewestComesFirstThenLowestId) {  // Q1
  const nostr::EventId low, high(nostr::EventId::Bytes{1});
  EXPECT_TRUE(comes_before({2, high}, {1, low}));
  EXPECT_TRUE(comes_before({1, low}, {1, high}));
  EXPECT_FALSE(comes_before({1, low}, {1, low}));
}

TEST(Cursor, IsUnsureAboutAFilterThatAsksForNothing) {  // Q5
  nostr::Filter nothing, all;
  nothing.limit = 0;
  EXPECT_TRUE(Cursor({nothing, all}, 7).unsure);
  EXPECT_FALSE(Cursor({all}, 7).unsure);
}

TEST(StoreError, IsDescribedInWords) {
  EXPECT_EQ(describe(StoreError::DiskFull), "the disk is full");
}

}  // namespace event_store_test
}  // namespace graspd::store
