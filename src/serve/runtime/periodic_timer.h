// Calls a function at a steady pace from a thread of its own, until it is destroyed.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/time.h"

namespace graspd::serve {

class Metronome {
 public:
  Metronome(core::Duration interval, std::function<void()> beat);
  ~Metronome();
  Metronome(const Metronome&) = delete;
  Metronome& operator=(const Metronome&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace graspd::serve
