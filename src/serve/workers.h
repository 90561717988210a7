// A few threads that do what may take a while: reading the store, reconciling sets.
//
//   R1  Background threads stand back when the processor is short: those who ask for thousands of
//       events should not keep the network, or whoever asks for one, waiting.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace graspd::serve {

class Workers {
 public:
  enum class Priority { Normal, Background };
  explicit Workers(std::size_t threads, Priority priority = Priority::Normal);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(std::function<void()> job);
  void stop();  // finishes what is queued; later jobs are dropped

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace graspd::serve
