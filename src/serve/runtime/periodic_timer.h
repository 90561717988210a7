// Calls a function at a steady pace from a thread of its own, until it is destroyed.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/time.h"

namespace graspd::serve {

class PeriodicTimer {
 public:
  PeriodicTimer(core::Duration interval, std::function<void()> beat);
  ~PeriodicTimer();
  PeriodicTimer(const PeriodicTimer&) = delete;
  PeriodicTimer& operator=(const PeriodicTimer&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace graspd::serve
