// Owns coroutines: the edges spawn coroutines only through a group.
//
//   R1  A group is empty when it is destroyed; anything else is a bug and stops the program.
//   R2  An exception that leaves a task ends only that task, and is logged under its name.
//   R3  A task whose event loop ends before it is done counts as ended. So a group must outlive the
//       event loops it spawns on.
//   R4  Used from one thread, the one that runs the tasks.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <cstddef>

#include "net/task.h"

namespace graspd::net {

class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup();

  // `name` is a literal: it is kept, not copied.
  void spawn(const boost::asio::any_io_executor& executor, const char* name, Task<void> task);
  std::size_t size() const { return size_; }

 private:
  class Membership;
  std::size_t size_ = 0;
};

}  // namespace graspd::net
