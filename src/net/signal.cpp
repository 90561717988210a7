#include "net/signal.h"

#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/check.h"

namespace asio = boost::asio;

namespace graspd::net {

struct Signal::Timer {
  asio::steady_timer timer;
};

Signal::Signal() = default;
Signal::~Signal() = default;

Task<void> Signal::wait() {
  CHECK(!timer_);
  auto executor = co_await asio::this_coro::executor;
  timer_ = std::make_unique<Timer>(
      Timer{asio::steady_timer(executor, asio::steady_timer::time_point::max())});
  // Cancelling the timer is the word: the error it ends with is the normal case.
  co_await timer_->timer.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
  timer_.reset();
}

void Signal::notify() {
  if (timer_) timer_->timer.cancel();
}

}  // namespace graspd::net
