// One event loop on one thread, and what lives there: tasks, connections, and one sweep for all of
// their timeouts.
//
//   R1  A connection has no timer of its own: the sweep visits all, so that an idle one is cheap.
//   R2  After leave_all() the thread ends when its last task has ended.
#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/time.h"
#include "net/task_group.h"
#include "net/thread_buffers.h"

namespace graspd::net {

// Something with deadlines. Leaves the list of its thread when it dies.
class Watched : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Watched() = default;
  virtual void check(core::Instant now) = 0;  // once per sweep
  virtual void leave() = 0;                   // the server stops: finish what is under way
  virtual void abort() = 0;                   // it has stopped: end at once
};

class NetworkThread {
 public:
  using Executor = boost::asio::io_context::executor_type;

  NetworkThread(std::size_t index, core::Duration sweep_interval);
  ~NetworkThread();

  // From any thread.
  void post(std::function<void()> work);
  void leave_all();
  void abort_all();
  bool wait_until_ended(std::chrono::steady_clock::time_point deadline);
  void end_now();  // drops the tasks that are left
  const ThreadBuffers& meters() const { return buffers_; }

  // From this thread, and before start().
  void start();
  void spawn(const char* name, Task<void> task);
  void watch(Watched& watched) { watched_.push_back(watched); }
  void end_if_done();  // after something watched has died
  bool leaving() const { return leaving_; }
  std::size_t index() const { return index_; }
  Executor executor() { return context_.get_executor(); }
  ThreadBuffers& buffers() { return buffers_; }

 private:
  using Watch = boost::intrusive::list<Watched, boost::intrusive::constant_time_size<false>>;

  void run();
  Task<void> sweep();

  const std::size_t index_;
  const core::Duration sweep_interval_;
  // The event loop dies first: the frames that die with it still use what stands above it.
  ThreadBuffers buffers_;
  Watch watched_;
  TaskGroup tasks_;
  bool leaving_ = false;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer sweep_timer_{context_};
  boost::asio::executor_work_guard<Executor> work_{context_.get_executor()};

  std::mutex mutex_;  // guards ended_
  std::condition_variable has_ended_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace graspd::net
