#include "net/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "core/check.h"
#include "core/log.h"

namespace graspd::net {
namespace {

void log_failure(const char* name, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    core::log::error("{} ended by an exception: {}", name, error.what());
  } catch (...) {
    core::log::error("{} ended by an exception of unknown type", name);
  }
}

}  // namespace

// Lives as long as the task's frame does, however that ends.
class TaskGroup::Membership {
 public:
  Membership(TaskGroup& group, const char* name) : group_(&group), name_(name) { ++group.size_; }
  Membership(Membership&& other) noexcept
      : group_(std::exchange(other.group_, nullptr)), name_(other.name_) {}
  ~Membership() {
    if (group_) --group_->size_;
  }

  void operator()(const std::exception_ptr& failure) {
    if (failure) log_failure(name_, failure);
  }

 private:
  TaskGroup* group_;
  const char* name_;
};

TaskGroup::~TaskGroup() { CHECK(size_ == 0); }

void TaskGroup::spawn(const boost::asio::any_io_executor& executor, const char* name,
                      Task<void> task) {
  boost::asio::co_spawn(executor, std::move(task), Membership(*this, name));
}

}  // namespace graspd::net
