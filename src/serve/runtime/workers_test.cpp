#include "serve/runtime/workers.h"

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace graspd::serve {
namespace workers_test {

TEST(Workers, FinishWhatIsQueuedAndDropWhatComesLater) {
  int done = 0;
  Workers workers(1);
  for (int i = 0; i < 100; ++i) workers.post([&] { done += 1; });
  workers.stop();
  workers.post([&] { done += 1; });
  EXPECT_EQ(done, 100);
}

TEST(Workers, StandBackInTheBackground) {  // R1
  int own = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())), nice = own;
  Workers workers(1, Workers::Priority::Background);
  workers.post([&] { nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); });
  workers.stop();
  EXPECT_EQ(nice, std::min(19, own + 5));
}

TEST(Workers, LetOthersInBetweenTheTurnsOfALongJob) {  // R2
  const Asker busy{*core::IpAddress::parse("192.0.2.1")}, other{*core::IpAddress::parse("::1")};
  std::promise<void> go;
  std::string done;
  Workers workers(1);
  workers.post([wait = go.get_future().share()] { wait.wait(); });
  for (char name : {'a', 'b', 'c'})
    workers.post(busy, [&done, name, left = 2]() mutable {
      done += name;
      return --left > 0 ? Turn::Again : Turn::Over;
    });
  std::promise<void> last;
  workers.post(other, [&] {
    done += 'x';
    return Turn::Over;
  });
  workers.post(busy, [&] {
    last.set_value();
    return Turn::Over;
  });
  go.set_value();
  last.get_future().wait();
  workers.stop();
  EXPECT_EQ(done.substr(0, 4), "axbc");
}

TEST(Workers, StopInTheMiddleOfALongJob) {
  int turns = 0;
  Workers workers(1);
  std::promise<void> begun;
  workers.post(Asker{}, [&] {
    if (++turns == 1) begun.set_value();
    return Turn::Again;
  });
  begun.get_future().wait();
  workers.stop();
  EXPECT_GE(turns, 1);
}

}  // namespace workers_test
}  // namespace graspd::serve
