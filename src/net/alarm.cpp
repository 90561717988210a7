#include "net/alarm.h"

#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "core/check.h"
#include "net/clock.h"

namespace asio = boost::asio;

namespace graspd::net {

struct Alarm::Timer {
  asio::steady_timer timer;

  void aim(core::Instant at) {
    if (at == core::Instant::max()) {
      timer.expires_at(asio::steady_timer::time_point::max());
    } else {
      timer.expires_after(at - now().instant);
    }
  }
};

Alarm::Alarm(std::function<void()> ring) : ring_(std::move(ring)) {}
Alarm::~Alarm() = default;

Task<void> Alarm::run() {
  CHECK(!timer_);
  auto executor = co_await asio::this_coro::executor;
  timer_ = std::make_unique<Timer>(Timer{asio::steady_timer(executor)});
  while (!stopped_) {
    timer_->aim(at_);
    // Set anew or stopped, it ends with an error: the loop looks again.
    co_await timer_->timer.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
    if (stopped_ || at_ > now().instant) continue;
    at_ = core::Instant::max();
    ring_();
  }
  timer_.reset();
}

void Alarm::set(core::Instant at) {
  at_ = at;
  if (timer_) timer_->timer.cancel();
}

void Alarm::stop() {
  stopped_ = true;
  if (timer_) timer_->timer.cancel();
}

}  // namespace graspd::net
