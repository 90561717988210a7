#include "net/later.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

namespace asio = boost::asio;

namespace graspd::net {
namespace {

bool is_cancellation(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

// The exception worth telling: one that is not the echo of the other's.
void rethrow(const std::exception_ptr& earlier, const std::exception_ptr& later) {
  if (later && (!earlier || is_cancellation(earlier)) && !is_cancellation(later))
    std::rethrow_exception(later);
  if (earlier) std::rethrow_exception(earlier);
}

template <class Condition>
auto together(const asio::any_io_executor& executor, Task<void> a, Task<void> b,
              Condition condition) {
  return asio::experimental::make_parallel_group(
             asio::co_spawn(executor, std::move(a), asio::deferred),
             asio::co_spawn(executor, std::move(b), asio::deferred))
      .async_wait(condition, asio::use_awaitable);
}

// What a coroutine and the thread that works for it share.
class Homecoming : public std::enable_shared_from_this<Homecoming> {
 public:
  Homecoming(asio::any_io_executor executor, asio::steady_timer& wake_up)
      : executor_(std::move(executor)), wake_up_(&wake_up) {}

  // On the other thread. While the lock is held the loop is alive, for its coroutine waits.
  void report(bool done) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    done_ = done;
    asio::post(executor_, [self = shared_from_this()] { self->wake(); });
    has_ended_.notify_all();
  }

  bool done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

  // On the coroutine's thread: afterwards nobody needs the loop or the timer any more.
  void wait() {
    std::unique_lock lock(mutex_);
    has_ended_.wait(lock, [this] { return ended_; });
    wake_up_ = nullptr;
  }

 private:
  void wake() {
    if (wake_up_) wake_up_->cancel();
  }

  const asio::any_io_executor executor_;
  asio::steady_timer* wake_up_;  // of the coroutine's thread
  std::mutex mutex_;             // guards the below
  std::condition_variable has_ended_;
  bool ended_ = false;
  bool done_ = false;
};

// The work, and the promise to report when it has ended, run or not.
class Errand {
 public:
  Errand(std::shared_ptr<Homecoming> homecoming, std::function<void()> work)
      : homecoming_(std::move(homecoming)), work_(std::move(work)) {}
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  ~Errand() {
    work_ = nullptr;
    if (homecoming_) homecoming_->report(false);
  }

  void run() noexcept {
    work_();
    work_ = nullptr;
    std::exchange(homecoming_, nullptr)->report(true);
  }

 private:
  std::shared_ptr<Homecoming> homecoming_;
  std::function<void()> work_;
};

// Waits even when the loop dies under the coroutine.
class Patience {
 public:
  explicit Patience(Homecoming& homecoming) : homecoming_(homecoming) {}
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience() { homecoming_.wait(); }

 private:
  Homecoming& homecoming_;
};

}  // namespace

Task<void> pause(core::Duration time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

Task<void> both(Task<void> a, Task<void> b) {
  const auto executor = co_await asio::this_coro::executor;
  const auto [order, a_failure, b_failure] = co_await together(
      executor, std::move(a), std::move(b), asio::experimental::wait_for_one_error());
  if (order[0] == 0) rethrow(a_failure, b_failure);
  rethrow(b_failure, a_failure);
}

Task<std::size_t> first(Task<void> a, Task<void> b) {
  const auto executor = co_await asio::this_coro::executor;
  auto [order, a_failure, b_failure] =
      co_await together(executor, std::move(a), std::move(b), asio::experimental::wait_for_one());
  std::exception_ptr& loser = order[0] == 0 ? b_failure : a_failure;
  if (loser && is_cancellation(loser)) loser = nullptr;
  if (order[0] == 0) rethrow(a_failure, b_failure);
  if (order[0] == 1) rethrow(b_failure, a_failure);
  co_return order[0];
}

Task<void> run_away(PostFn post, std::function<void()> work) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer wake_up(executor, asio::steady_timer::time_point::max());
  const auto homecoming = std::make_shared<Homecoming>(executor, wake_up);
  auto errand = std::make_shared<Errand>(homecoming, std::move(work));
  const Patience patience(*homecoming);
  post([errand = std::move(errand)] { errand->run(); });
  // No slot: cancellation has to wait.
  co_await wake_up.async_wait(
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::as_tuple(asio::use_awaitable)));
  if (!homecoming->done())
    throw boost::system::system_error(asio::error::operation_aborted, "the work was dropped");
}

}  // namespace graspd::net
