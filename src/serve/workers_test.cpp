#include "serve/workers.h"

#include <algorithm>
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

}  // namespace workers_test
}  // namespace graspd::serve
