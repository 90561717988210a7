#include "sync/refusal.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace refusal_test {

RefusalKind kind(std::string_view text) { return read_refusal(text).kind; }

TEST(Refusal, IsReadFromWhatRelaysSay) {
  EXPECT_EQ(kind("auth-required: we only serve registered users"), RefusalKind::AuthRequired);
  EXPECT_EQ(kind("rate-limited: REQ exceeds max filter count 10"), RefusalKind::FilterCount);
  EXPECT_EQ(kind("error: Invalid number of filters"), RefusalKind::FilterCount);
  EXPECT_EQ(kind("blocked: query matches too many records (2988225 > 1000000)"), RefusalKind::Size);
  EXPECT_EQ(kind("ERROR: too many concurrent REQs"), RefusalKind::Concurrency);
  EXPECT_EQ(kind("rate-limited: too many queries"), RefusalKind::RateLimit);
  EXPECT_EQ(kind("Slow down!"), RefusalKind::RateLimit);
  EXPECT_EQ(kind("invalid: filter item too large"), RefusalKind::BadFilter);
  EXPECT_EQ(kind("filter 'limit' must be a positive integer"), RefusalKind::LimitZero);
  EXPECT_EQ(kind("invalid: limit must be at most 300"), RefusalKind::LimitTooLarge);
  EXPECT_EQ(kind("error: limit exceeds 500"), RefusalKind::LimitTooLarge);
  EXPECT_EQ(kind("error: too many open subscriptions"), RefusalKind::Concurrency);
  EXPECT_EQ(kind("Subscription limit reached"), RefusalKind::Concurrency);
  EXPECT_EQ(kind("restricted: not a member"), RefusalKind::Policy);
  EXPECT_EQ(kind("error: shutting down"), RefusalKind::Other);
  EXPECT_EQ(kind(""), RefusalKind::Other);
}

TEST(Refusal, PutsSizeBeforeRate) {  // R2
  EXPECT_EQ(kind("rate-limited: too many negentropy items"), RefusalKind::Size);
  EXPECT_EQ(kind("blocked: too many query results"), RefusalKind::Size);
  EXPECT_EQ(kind("rate-limited: too many query results"), RefusalKind::Size);
  EXPECT_EQ(kind("rate-limited: too many negentropy subscriptions"), RefusalKind::Concurrency);
}

TEST(Refusal, KnowsThatASetIsTooLarge) {
  for (const char* text :
       {"blocked: this query is too big", "RESULTS TOO LARGE", "blocked: too many query results",
        "error: too many events", "rate-limited: too many negentropy items",
        "blocked: query matches too many records (2988225 > 1000000)"})
    EXPECT_TRUE(is_too_large(text)) << text;
  for (const char* text : {"rate-limited: too many queries", "too many requests", "slow down",
                           "too many negentropy subscriptions", "blocked: not here", ""})
    EXPECT_FALSE(is_too_large(text)) << text;
}

TEST(Refusal, TrustsOnlyAByteCap) {  // R1
  const auto refusal =
      read_refusal("rate-limited: active subscriptions exceed max size 1048576 bytes");
  EXPECT_EQ(refusal.kind, RefusalKind::RetainedBytes);
  EXPECT_EQ(refusal.bytes, 1048576u);
  EXPECT_EQ(read_refusal("rate-limited: max filter count 99999").bytes, std::nullopt);
}

TEST(Refusal, HasTheCategoryOfTheDashboards) {
  EXPECT_STREQ(policy_category("restricted: sorry"), "restricted");
  EXPECT_STREQ(policy_category("blocked: go away"), "blocked");
  EXPECT_STREQ(policy_category("you are not a member"), "membership_required");
  EXPECT_EQ(policy_category("rate-limited: too many queries"), nullptr);
}

}  // namespace refusal_test
}  // namespace graspd::sync
