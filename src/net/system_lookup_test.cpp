#include "net/system_lookup.h"

#include <gtest/gtest.h>

namespace graspd::net {
namespace system_lookup_test {

TEST(SystemLookup, KnowsTheMachineItself) {
  const auto found = system_lookup("localhost");
  ASSERT_TRUE(found) << found.error();
  ASSERT_FALSE(found->empty());
  EXPECT_TRUE(found->front().is_loopback());
}

// Names longer than any can be are known to stand for nothing without asking anybody.
TEST(SystemLookup, R1_AnswersThatANameStandsForNothing) {
  const auto found = system_lookup(std::string(300, 'a') + ".invalid");
  ASSERT_TRUE(found) << found.error();
  EXPECT_TRUE(found->empty());
}

}  // namespace system_lookup_test
}  // namespace graspd::net
