#include "serve/runtime/periodic_timer.h"

namespace graspd::serve {

PeriodicTimer::PeriodicTimer(core::Duration interval, std::function<void()> beat)
    : thread_([this, interval, beat = std::move(beat)] {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, interval, [this] { return stopping_; })) beat();
      }) {}

PeriodicTimer::~PeriodicTimer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

}  // namespace graspd::serve
