#include "net/task_group.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/log.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace task_group_test {

class RememberingSink final : public core::log::Sink {
 public:
  RememberingSink() { core::log::install(this); }
  ~RememberingSink() override { core::log::install(nullptr); }
  bool wants(core::log::Level) const override { return true; }
  void write(core::log::Level, std::string_view text) override { last = text; }
  std::string last;
};

Task<void> count(int* counter) {
  ++*counter;
  co_return;
}

Task<void> fail() {
  throw std::runtime_error("no reason");
  co_return;
}

Task<void> wait_for_ever() {
  asio::steady_timer timer(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  co_await timer.async_wait(asio::use_awaitable);
}

TEST(TaskGroup, IsEmptyAgainWhenItsTasksHaveEnded) {
  TaskGroup group;
  asio::io_context context;
  int counter = 0;
  group.spawn(context.get_executor(), "a", count(&counter));
  group.spawn(context.get_executor(), "b", count(&counter));
  EXPECT_EQ(group.size(), 2u);
  context.run();
  EXPECT_EQ(counter, 2);
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroup, LogsAnExceptionAndGoesOn) {  // R2
  RememberingSink sink;
  TaskGroup group;
  asio::io_context context;
  int counter = 0;
  group.spawn(context.get_executor(), "the weak one", fail());
  group.spawn(context.get_executor(), "the other", count(&counter));
  context.run();
  EXPECT_EQ(sink.last, "the weak one ended by an exception: no reason");
  EXPECT_EQ(counter, 1);
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroup, IsEmptyWhenTheEventLoopDiesUnderItsTasks) {  // R3
  TaskGroup group;
  std::optional<asio::io_context> context(std::in_place);
  group.spawn(context->get_executor(), "patient", wait_for_ever());
  context->poll();
  EXPECT_EQ(group.size(), 1u);
  context.reset();
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroupDeathTest, MayNotDieBeforeItsTasks) {  // R1
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        asio::io_context context;
        TaskGroup group;
        group.spawn(context.get_executor(), "patient", wait_for_ever());
      },
      "CHECK");
}

}  // namespace task_group_test
}  // namespace graspd::net
