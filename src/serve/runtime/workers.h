// A few threads for work that may take a while: reading the store, reconciling sets.
//
//   R1  Background threads have a lower priority: clients that request thousands of events should
//       not delay the network, or a client that requests one.
//   R2  A job that continues waits for its turn like a new one, so that a long look-up delays
//       others by only one of its turns.
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
