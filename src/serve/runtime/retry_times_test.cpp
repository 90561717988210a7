#include "serve/runtime/retry_times.h"

#include <gtest/gtest.h>
#include <string>

namespace graspd::serve::retry_times_test {
namespace {

using namespace std::chrono_literals;
using Keys = std::set<std::string>;

class Retries {
 public:
  void fail(core::Duration at) { times.failed("a", start + at); }
  Keys due(core::Duration at) { return times.take_due(start + at); }

  core::Instant start{};
  RetryTimes<std::string> times{{.first = 5s, .most = 30s}};
};

TEST(RetryTimes, WaitTwiceAsLongEachTime) {  // R1
  Retries retries;
  core::Duration now{};
  for (const core::Duration pause : {5s, 10s, 20s, 30s, 30s}) {
    retries.fail(now);
    EXPECT_EQ(retries.due(now + pause - 1ms), Keys{});
    EXPECT_EQ(retries.due(now + pause), Keys{"a"});
    EXPECT_EQ(retries.due(now + pause), Keys{});  // once
    now += pause;
  }
}

TEST(RetryTimes, BeginAnewAfterQuietTimes) {  // R2
  Retries retries;
  retries.fail(0s);
  EXPECT_EQ(retries.due(5s), Keys{"a"});
  EXPECT_EQ(retries.due(60s), Keys{});
  EXPECT_EQ(retries.times.size(), 0U);
  retries.fail(61s);
  EXPECT_EQ(retries.due(66s), Keys{"a"});
}

TEST(RetryTimes, OfWhatFailsOftenAreOne) {  // R3
  Retries retries;
  for (int i = 0; i < 1'000; ++i) retries.fail(i * 1ms);
  EXPECT_EQ(retries.due(4'999ms), Keys{});
  EXPECT_EQ(retries.due(5s), Keys{"a"});
  retries.fail(5s);
  EXPECT_EQ(retries.due(14s), Keys{});
  EXPECT_EQ(retries.due(15s), Keys{"a"});
}

}  // namespace
}  // namespace graspd::serve::retry_times_test
