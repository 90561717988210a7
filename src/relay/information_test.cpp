#include "relay/information.h"

#include <gtest/gtest.h>

namespace graspd::relay {
namespace information_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Information, SaysTheLimitsThatAreEnforced) {
  Limits limits{.message_bytes = 1234, .subscriptions = 7, .filter_limit = 42};
  auto text = information_document({.name = "n"}, limits);
  EXPECT_TRUE(has(text, R"("max_message_length":1234)"));
  EXPECT_TRUE(has(text, R"("max_subscriptions":7)"));
  EXPECT_TRUE(has(text, R"("max_limit":42,"default_limit":42)"));
}

TEST(Information, LeavesOutWhatIsNotLimited) {
  auto text = information_document({}, {.subscriptions = 0, .filter_limit = 0});
  EXPECT_FALSE(has(text, "max_subscriptions"));
  EXPECT_FALSE(has(text, "max_limit"));
}

TEST(Information, EscapesWhatTheOperatorWrote) {
  auto text = information_document({.name = "my \"relay\"\n", .description = "\\"}, {});
  EXPECT_TRUE(has(text, R"("name":"my \"relay\"\n","description":"\\")"));
}

TEST(Information, OffersNip05OnlyAtTheRoot) {
  EXPECT_TRUE(has(information_document({.at_root = true}, {}), "[1,5,9,"));
  EXPECT_TRUE(has(information_document({.at_root = false}, {}), "[1,9,"));
  const auto unobeyed = information_document({.obeys_requests = false}, {});
  EXPECT_TRUE(has(unobeyed, "[1,5,11,34,40,42,45,67,70,77]"));
}

TEST(Information, SaysThatAPrivateServiceWantsAuthentication) {
  const auto text = information_document({.is_private = true}, {});
  EXPECT_TRUE(has(text, R"("auth_required":true)"));
  EXPECT_TRUE(has(text, ",77,98]"));
  const auto open = information_document({}, {});
  EXPECT_TRUE(has(open, R"("auth_required":false)"));
  EXPECT_FALSE(has(open, "98]"));
}

TEST(Information, LeavesOutAnEmptyContact) {
  EXPECT_FALSE(has(information_document({}, {}), "contact"));
  EXPECT_TRUE(
      has(information_document({.contact = "mailto:a@b"}, {}), R"("contact":"mailto:a@b")"));
}

}  // namespace information_test
}  // namespace graspd::relay
