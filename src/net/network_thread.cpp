#include "net/network_thread.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <pthread.h>
#include <string>

#include "net/clock.h"

namespace asio = boost::asio;

namespace graspd::net {

NetworkThread::NetworkThread(std::size_t index, core::Duration sweep_interval)
    : index_(index), sweep_interval_(sweep_interval) {}

NetworkThread::~NetworkThread() { end_now(); }

void NetworkThread::start() {
  spawn("sweep", sweep());
  thread_ = std::thread([this] { run(); });
  ::pthread_setname_np(thread_.native_handle(), ("net-" + std::to_string(index_)).c_str());
}

void NetworkThread::run() {
  context_.run();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  has_ended_.notify_all();
}

void NetworkThread::post(std::function<void()> work) { asio::post(context_, std::move(work)); }

void NetworkThread::spawn(const char* name, Task<void> task) {
  tasks_.spawn(executor(), name, std::move(task));
}

Task<void> NetworkThread::sweep() {
  while (!leaving_ || !watched_.empty()) {
    sweep_timer_.expires_after(sweep_interval_);
    co_await sweep_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    const core::Instant instant = now().instant;
    for (Watched& watched : watched_) watched.check(instant);
  }
}

void NetworkThread::end_if_done() {
  if (leaving_ && watched_.empty()) sweep_timer_.cancel();
}

void NetworkThread::leave_all() {
  post([this] {
    leaving_ = true;
    work_.reset();
    for (Watched& watched : watched_) watched.leave();
    end_if_done();
  });
}

void NetworkThread::abort_all() {
  post([this] {
    for (Watched& watched : watched_) watched.abort();
  });
}

bool NetworkThread::wait_until_ended(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return has_ended_.wait_until(lock, deadline, [this] { return ended_; });
}

void NetworkThread::end_now() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace graspd::net
