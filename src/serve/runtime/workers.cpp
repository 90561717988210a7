#include "serve/runtime/workers.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

#include "core/log.h"

namespace graspd::serve {
namespace {

// On Linux a nice value belongs to a thread.
void stand_back() {
  const auto self = static_cast<id_t>(gettid());
  const int nicer = std::min(19, getpriority(PRIO_PROCESS, self) + 5);
  if (setpriority(PRIO_PROCESS, self, nicer) != 0)
    core::log::debug("a background thread keeps its priority");
}

}  // namespace

Workers::Workers(std::size_t threads, Priority priority) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this, priority] {
      if (priority == Priority::Background) stand_back();
      work();
    });
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Workers::post(const Asker& asker, Job job) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    turns_.add(asker, std::move(job));
  }
  wake_.notify_one();
}

void Workers::post(std::function<void()> job) {
  post(Asker{}, [job = std::move(job)] {
    job();
    return Turn::Over;
  });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !turns_.empty(); });
    if (turns_.empty()) return;
    Turns::Next next = turns_.take();
    lock.unlock();
    const bool again = next.job() == Turn::Again;
    if (!again) next.job = nullptr;  // what it holds may be large
    lock.lock();
    if (again && !stopping_) turns_.add(next.asker, std::move(next.job));
  }
}

}  // namespace graspd::serve
