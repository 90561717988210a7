// A few threads that do what may take a while: reading the store, reconciling sets.
//
//   R1  Background threads stand back when the processor is short: those who ask for thousands of
//       events should not keep the network, or whoever asks for one, waiting.
//   R2  A job that comes again waits for its turn like a new one: a long look-up delays those of
//       others by one of its turns.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/runtime/turns.h"

namespace graspd::serve {

class Workers {
 public:
  enum class Priority { Normal, Background };
  explicit Workers(std::size_t threads, Priority priority = Priority::Normal);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(const Asker& asker, Job job);
  void post(std::function<void()> job);  // of nobody in particular, over in one turn
  // Gives what is queued one more turn each; later jobs are dropped.
  void stop();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  Turns turns_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace graspd::serve
