#include "net/pipe.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/later.h"
#include "net/task_group.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace pipe_test {

struct Ends {
  Ends() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    out = core::FileDescriptor(fds[0]);
    in = core::FileDescriptor(fds[1]);
  }
  core::FileDescriptor out, in;
};

struct Loop {
  void run(Task<void> task) {
    group.spawn(context.get_executor(), "test", std::move(task));
    context.run();
  }
  TaskGroup group;
  asio::io_context context;
};

Task<void> read_all(Pipe* pipe, std::string* text) {
  std::array<char, 3'000> buffer;
  while (true) {
    const auto size = co_await pipe->read(buffer);
    if (!size) text->append("failed");
    if (!size || *size == 0) co_return;
    text->append(buffer.data(), *size);
  }
}

Task<void> write_all(Pipe* pipe, std::string text) {
  const bool written = co_await pipe->write(text);
  EXPECT_TRUE(written);
  pipe->close();
}

Task<void> pass_through(std::string text, std::string* result) {
  Ends ends;
  Pipe out = co_await open_pipe(std::move(ends.out));
  Pipe in = co_await open_pipe(std::move(ends.in));
  co_await both(write_all(&in, text), read_all(&out, result));
}

TEST(Pipe, CarriesMoreThanItHolds) {
  Loop loop;
  const std::string text(1'000'000, 'x');
  std::string result;
  loop.run(pass_through(text, &result));
  EXPECT_TRUE(result == text);
}

Task<void> close_after(Pipe* pipe, core::Duration time) {
  co_await pause(time);
  pipe->close();
}

Task<void> close_while_reading(std::string* result) {
  Ends ends;
  Pipe out = co_await open_pipe(std::move(ends.out));
  co_await both(read_all(&out, result), close_after(&out, core::Duration{1}));
  const auto again = co_await out.read({});
  EXPECT_FALSE(again);
}

TEST(Pipe, EndsAReadWhenItIsClosed) {  // R2
  Loop loop;
  std::string result;
  loop.run(close_while_reading(&result));
  EXPECT_EQ(result, "failed");
}

Task<void> cancel_reading(std::string* result) {
  Ends ends;
  Pipe out = co_await open_pipe(std::move(ends.out));
  Pipe in = co_await open_pipe(std::move(ends.in));
  co_await first(read_all(&out, result), pause(core::Duration{1}));
  EXPECT_EQ(*result, "");  // it did not look like an end
  co_await both(write_all(&in, "later"), read_all(&out, result));
}

TEST(Pipe, CanBeReadAgainAfterACancelledRead) {
  Loop loop;
  std::string result;
  loop.run(cancel_reading(&result));
  EXPECT_EQ(result, "later");
}

Task<void> write_to_nobody(bool* written) {
  Ends ends;
  ends.out = core::FileDescriptor();
  Pipe in = co_await open_pipe(std::move(ends.in));
  *written = co_await in.write("hello");
}

TEST(Pipe, FailsAWriteThatNobodyReads) {  // R4
  Loop loop;
  bool written = true;
  loop.run(write_to_nobody(&written));
  EXPECT_FALSE(written);
}

Task<void> watch(int fd, core::Duration timeout, bool* result) {
  *result = co_await readable(fd, timeout);
}

TEST(Readable, SeesAProcessEnd) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  core::FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  ASSERT_TRUE(pidfd);
  Loop loop;
  bool ended = false;
  loop.run(watch(pidfd.get(), core::Duration{20'000}, &ended));
  EXPECT_TRUE(ended);
  ::waitpid(child, nullptr, 0);
}

TEST(Readable, HasATimeout) {
  Ends ends;
  Loop loop;
  bool result = true;
  loop.run(watch(ends.out.get(), core::Duration{5}, &result));
  EXPECT_FALSE(result);
}

Task<void> watch_twice(int fd) {
  bool a = false, b = false;
  co_await both(watch(fd, core::Duration{20'000}, &a), watch(fd, core::Duration{20'000}, &b));
  EXPECT_TRUE(a && b);
}

TEST(Readable, MayBeAskedTwiceAtOnce) {
  Ends ends;
  ASSERT_EQ(::write(ends.in.get(), "x", 1), 1);
  Loop loop;
  loop.run(watch_twice(ends.out.get()));
}

}  // namespace pipe_test
}  // namespace graspd::net
