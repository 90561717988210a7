// Lets one coroutine wait for a notification from another part of the same network thread.
#pragma once
#include <memory>

#include "net/task.h"

namespace graspd::net {

class Signal {
 public:
  Signal();
  ~Signal();

  // Returns at the next notify(). One waiter at a time.
  Task<void> wait();
  void notify();

 private:
  struct Timer;
  std::unique_ptr<Timer> timer_;  // only while somebody waits
};

}  // namespace graspd::net
