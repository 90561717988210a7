#include "negentropy/bad_message.h"

#include <gtest/gtest.h>
#include <set>

namespace graspd::negentropy {
namespace bad_message_test {

TEST(BadMessage, EveryReasonHasItsOwnWords) {
  std::set<std::string_view> words;
  for (const auto reason : {BadMessage::Truncated, BadMessage::Version, BadMessage::Varint,
                            BadMessage::Bounds, BadMessage::Mode, BadMessage::TooManyIds})
    words.insert(describe(reason));
  EXPECT_EQ(words.size(), 6u);
  EXPECT_FALSE(words.contains(""));
}

}  // namespace bad_message_test
}  // namespace graspd::negentropy
