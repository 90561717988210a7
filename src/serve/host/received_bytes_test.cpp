#include "serve/host/received_bytes.h"

#include <gtest/gtest.h>
#include <optional>

namespace graspd::serve {
namespace received_bytes_test {

TEST(ReceivedBytes, AreCountedTogether) {  // R1
  ReceivedBytes all;
  ReceivedBytes::Share first(all, "a"), second(all, "a"), elsewhere(all, "b");
  EXPECT_EQ(first.add(10), 10U);
  EXPECT_EQ(second.add(5), 15U);
  EXPECT_EQ(elsewhere.add(7), 7U);
}

TEST(ReceivedBytes, CountWhatWasKeptForThoseWhoBeganBefore) {  // R1
  ReceivedBytes all;
  ReceivedBytes::Share early(all, "a");
  std::optional<ReceivedBytes::Share> quick(std::in_place, all, "a");
  quick->add(10);
  quick->keep();
  quick.reset();
  ReceivedBytes::Share late(all, "a");
  EXPECT_EQ(early.add(1), 11U);
  EXPECT_EQ(late.add(1), 2U);
}

TEST(ReceivedBytes, AreForgottenWhenTheyAreNotKept) {  // R2
  ReceivedBytes all;
  ReceivedBytes::Share stays(all, "a");
  {
    ReceivedBytes::Share refused(all, "a");
    EXPECT_EQ(refused.add(10), 10U);
  }
  EXPECT_EQ(stays.add(1), 1U);
}

}  // namespace received_bytes_test
}  // namespace graspd::serve
