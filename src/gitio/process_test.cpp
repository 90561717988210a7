#include "gitio/process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <thread>

#include "gitio/repositories_testing.h"
#include "gitio/run.h"

namespace graspd::gitio {
namespace process_test {

git::CommandLine shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .env = {"PATH=/usr/bin:/bin"}, .directory = "/tmp"};
}

Process start(const std::string& script) {
  auto process = Process::start(shell(script), {});
  CHECK(process);
  return *std::move(process);
}

std::string read_line(int fd) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

bool exists(pid_t pid) { return std::filesystem::exists("/proc/" + std::to_string(pid)); }

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return condition();
}

class Processes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { adopt_orphans(); }
};

TEST_F(Processes, GetTheirArgumentsEnvironmentAndFolder) {
  git::CommandLine command = shell("echo $FRUIT; pwd; env | wc -l; cat");
  command.env = {"FRUIT=quince"};
  const auto output = run(command, "input");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->status, 0);
  EXPECT_EQ(output->out, "quince\n/tmp\n2\ninput");  // the shell adds PWD
}

TEST_F(Processes, SayWhyTheyDidNotStart) {
  git::CommandLine command = shell("");
  command.argv.front() = "/nonexistent/program";
  const auto process = Process::start(command, {});
  ASSERT_FALSE(process);
  EXPECT_NE(process.error().find("/nonexistent/program"), std::string::npos);
}

TEST_F(Processes, R1_LeadAGroupThatDiesAsAWhole) {
  Process process = start("sleep 1000 & echo $!; wait");
  const core::FileDescriptor out(process.take_stdout());
  const pid_t grandchild = std::stoi(read_line(out.get()));
  process.terminate();
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_FALSE(exists(grandchild));
}

TEST_F(Processes, R2_StartWithDefaultSignalsThoughOursAreNot) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  // Two above 31 are the C library's own.
  const auto output = run(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -c 16-"), {});
  std::signal(SIGPIPE, old_handler);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(output);
  ASSERT_EQ(output->out.size(), 20u);
  EXPECT_EQ(std::stoul(output->out.substr(0, 9), nullptr, 16) & 0x7fff'ffff, 0u) << output->out;
  EXPECT_EQ(std::stoul(output->out.substr(10, 9), nullptr, 16) & 0x7fff'ffff, 0u) << output->out;
}

TEST_F(Processes, R2_InheritNoDescriptorOfOurs) {
  const core::FileDescriptor careless(::dup(STDERR_FILENO));
  Process sleeper = start("sleep 1000");  // its pipes are ours as well
  const auto output = run(shell("exec ls /proc/self/fd"), {});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "0\n1\n2\n3\n");  // 3 is the folder ls reads
}

TEST_F(Processes, R3_LeaveNoZombiesWhenTheirParentDiesFirst) {
  Process process = start("sleep 1000 & echo $!");
  const core::FileDescriptor out(process.take_stdout());
  const pid_t orphan = std::stoi(read_line(out.get()));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_FALSE(exists(orphan));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Processes, R4_DieWithTheirObject) {
  pid_t grandchild = 0;
  {
    Process process = start("sleep 1000 & echo $!; wait");
    const core::FileDescriptor out(process.take_stdout());
    grandchild = std::stoi(read_line(out.get()));
  }
  EXPECT_FALSE(exists(grandchild));
}

TEST_F(Processes, R6_GetAShareOfTheMachine) {
  limit_processes({.memory_bytes_max = 512ULL << 20,
                   .cpu_seconds_max = 100,
                   .file_bytes_max = 1ULL << 30,
                   .files_max = 77});
  git::CommandLine command =
      shell("read go; ulimit -d; ulimit -t; ulimit -f; ulimit -n; ulimit -c");
  const auto usual = run(command, "go\n");
  command.file_bytes_max = 512ULL << 20;
  const auto smaller = run(command, "go\n");
  limit_processes({});
  ASSERT_TRUE(usual && smaller);
  EXPECT_EQ(usual->out, "524288\n100\n2097152\n77\n0\n");  // of 1024 and of 512 bytes
  EXPECT_EQ(smaller->out, "524288\n100\n1048576\n77\n0\n");
}

TEST_F(Processes, AreLookedAtWithoutWaiting) {
  Process process = start("read line; exit 7");
  EXPECT_EQ(process.try_wait(), std::nullopt);
  ::close(process.take_stdin());
  pollfd polled{process.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&polled, 1, 10'000), 1);
  EXPECT_EQ(process.try_wait(), 7);
  EXPECT_EQ(process.try_wait(), 7);
  process.kill();  // nobody any more
}

TEST_F(Processes, CanBeMoved) {
  Process process = start("exit 3");
  Process moved = std::move(process);
  EXPECT_EQ(moved.wait(), 3);
  moved = start("exit 4");
  EXPECT_EQ(moved.wait(), 4);
}

TEST_F(Processes, HaveStreamsThatNeverBlockUsWhenAsked) {
  auto process = Process::start(shell("sleep 1000"), {.nonblocking = true});
  ASSERT_TRUE(process);
  const core::FileDescriptor out(process->take_stdout());
  char c = 0;
  EXPECT_EQ(::read(out.get(), &c, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Processes, ReadNothingFromANullStream) {
  auto process =
      Process::start(shell("cat; echo silent"), {.in = Stream::Null, .out = Stream::Null});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->take_stdin(), -1);
  EXPECT_EQ(process->take_stdout(), -1);
  EXPECT_EQ(process->wait(), 0);
}

TEST_F(Processes, StartAndEndOnManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 5; ++turn) {
        const auto output = run(shell("cat; exit " + std::to_string(i)), "word");
        if (output && output->status == i && output->out == "word") ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
  EXPECT_TRUE(eventually([] { return ::waitpid(-1, nullptr, WNOHANG) == -1; }));
}

TEST_F(Processes, EndWhenTheirStreamsBreak) {  // R5
  Process process = start("exec yes");
  ::close(process.take_stdout());
  EXPECT_EQ(process.wait(), 128 + SIGPIPE);
}

TEST_F(Processes, AreLimitedByTheirCommandLine) {  // R6
  git::CommandLine command = shell("read x; ulimit -d; ulimit -t");
  command.memory_bytes_max = 256ULL << 20;
  command.cpu_seconds_max = 7;
  const auto output = run(command, "now\n");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "262144\n7\n");
}

TEST_F(Processes, AreTheFirstToGoWhenMemoryEnds) {  // R6
  const auto output =
      run(shell("read x; cat /proc/$$/oom_score_adj; cat /proc/self/oom_score_adj"), "now\n");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "1000\n1000\n");
}

TEST_F(Processes, TellWhatTheirGroupUses) {
  // The inner shell works and ends; the outer one has waited for it.
  Process process = start("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; cat");
  EXPECT_TRUE(eventually([&] { return process.usage().cpu >= core::Duration(50); }));
  EXPECT_GT(process.usage().memory_bytes, 100'000u);
  process.kill();
  process.wait();
  EXPECT_EQ(process.usage().memory_bytes, 0u);
}

TEST_F(Processes, AreCountedUnlessTheyHaveAPlace) {
  const std::uint64_t before = memory_of_own_work();
  {
    const Process own = start("cat");
    EXPECT_GT(memory_of_own_work(), before);
    const std::uint64_t with_own = memory_of_own_work();
    auto other = Process::start(shell("cat"), {.has_place = true});
    EXPECT_EQ(memory_of_own_work(), with_own);
  }
  EXPECT_EQ(memory_of_own_work(), before);
}

}  // namespace process_test
}  // namespace graspd::gitio
