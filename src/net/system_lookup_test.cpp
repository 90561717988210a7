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

TEST(SystemLookup, SaysWhyANameIsNotKnown) {
  const auto found = system_lookup("no-such-name.invalid");
  ASSERT_FALSE(found);
  EXPECT_FALSE(found.error().empty());
}

}  // namespace system_lookup_test
}  // namespace graspd::net
