// One alarm that is set again and again: rings once at the time set last.
#pragma once
#include <functional>
#include <memory>

#include "core/time.h"
#include "net/task.h"

namespace graspd::net {

class Alarm {
 public:
  explicit Alarm(std::function<void()> ring);
  ~Alarm();

  // Runs until stop(). All calls come from the thread that runs it; it outlives the coroutine.
  Task<void> run();
  void set(core::Instant at);
  void stop();

 private:
  struct Timer;
  const std::function<void()> ring_;
  std::unique_ptr<Timer> timer_;  // while it runs
  core::Instant at_ = core::Instant::max();
  bool stopped_ = false;
};

}  // namespace graspd::net
