#include "gitio/run.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>

namespace graspd::gitio {
namespace run_test {

using namespace std::chrono_literals;

git::CommandLine shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .env = {"PATH=/usr/bin:/bin"}, .directory = "/"};
}

class Running : public ::testing::Test {
 protected:
  void SetUp() override { before_ = std::signal(SIGPIPE, SIG_IGN); }  // as the server has it
  void TearDown() override { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int) = nullptr;
};

TEST_F(Running, R1_StallsOnNoFullPipe) {
  const std::string input(3'000'000, 'x');
  const auto output = run(shell("tee /dev/stderr"), input, {.error_max = 4'000'000});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, input);
  EXPECT_EQ(output->err, input);
}

TEST_F(Running, R2_EndsWhenItIsToStop) {
  std::stop_source stop;
  stop.request_stop();
  const auto output = run(shell("sleep 1000"), {}, {.stop = stop.get_token()});
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().find("was stopped"), std::string::npos);
}

TEST_F(Running, R2_EndsAtTheDeadlineWithAllItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const auto output = run(shell("sleep 1000 & sleep 1000"), {}, {.deadline = 50ms});
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().find("took too long"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST_F(Running, R2_EndsAtTheDeadlineThoughTheOutputEnded) {
  const auto output = run(shell("exec >&- 2>&-; sleep 1000"), {}, {.deadline = 50ms});
  ASSERT_FALSE(output);
}

TEST_F(Running, R2_RefusesTooMuchOutput) {
  EXPECT_FALSE(run(shell("yes"), {}, {.output_max = 100'000}));
  const auto exact = run(shell("printf 12345"), {}, {.output_max = 5});
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->out, "12345");
}

TEST_F(Running, R2_CutsComplaintsShort) {
  const auto output = run(shell("yes no | head -c 100000 >&2; exit 3"), {}, {.error_max = 10});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->status, 3);
  EXPECT_EQ(output->err.size(), 10u);
}

TEST_F(Running, R3_LetsAProgramIgnoreItsInput) {
  const auto output = run(shell("exit 5"), std::string(1'000'000, 'x'));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->status, 5);
}

TEST_F(Running, QuotesTheComplaintOfAFailure) {
  const auto failed = run_ok(shell("echo 'fatal: no' >&2; exit 128"), {});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().find("fatal: no"), std::string::npos);
  const auto silent = run_ok(shell("exit 9"), {});
  ASSERT_FALSE(silent);
  EXPECT_NE(silent.error().find("exit code 9"), std::string::npos);
}

TEST_F(Running, ShowsOutputInPieces) {
  std::size_t total = 0;
  const auto output = run_into([&](std::string_view piece) { total += piece.size(); },
                               shell("yes | head -c 500000"), {}, {});
  ASSERT_TRUE(output);
  EXPECT_EQ(total, 500'000u);
  EXPECT_TRUE(output->out.empty());
}

}  // namespace run_test
}  // namespace graspd::gitio
