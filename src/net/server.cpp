#include "net/server.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/check.h"
#include "core/log.h"
#include "net/acceptor.h"
#include "net/http_connection.h"
#include "net/listening_socket.h"
#include "net/network_thread.h"

namespace graspd::net {
namespace {

// After the drain all sockets are closed: what a handler may still take to notice.
constexpr core::Duration kHandlersEndMax{5'000};

// Often enough for the shortest timeout, and not more than that.
core::Duration sweep_interval(const ServerOptions& options) {
  const core::Duration shortest =
      std::min({options.handshake_timeout, options.keep_alive_timeout, options.ping_interval,
                options.idle_timeout, options.write_timeout, options.message_timeout,
                options.last_words_timeout});
  return std::clamp(shortest / 4, core::Duration{10}, core::Duration{1'000});
}

class ThreadedServer final : public Server {
 public:
  ThreadedServer(core::FileDescriptor listener, const ServerOptions& options);
  ~ThreadedServer() override { stop(core::Duration{0}); }

  void start(Handler& handler) override {
    post(0, [this, &handler] {
      context_.handler = &handler;
      spawn(0, "accepting", acceptor_->run());
    });
  }
  void post(std::size_t thread, std::function<void()> work) override {
    threads_.at(thread)->post(std::move(work));
  }
  void spawn(std::size_t thread, const char* name, Task<void> task) override {
    threads_.at(thread)->spawn(name, std::move(task));
  }
  std::size_t threads() const override { return threads_.size(); }
  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return context_.web_sockets; }
  ServerMeters meters() const override;
  void stop(core::Duration drain) override;

 private:
  bool all_ended_within(core::Duration time);

  const std::uint16_t port_;
  ConnectionContext context_;
  Acceptor::Threads threads_;
  std::unique_ptr<Acceptor> acceptor_;
  std::mutex stopping_;  // guards stopped_: a second stop() waits for the first
  bool stopped_ = false;
};

ThreadedServer::ThreadedServer(core::FileDescriptor listener, const ServerOptions& options)
    : port_(local_port(listener)), context_{options} {
  CHECK(options.network_threads > 0);
  for (std::size_t i = 0; i < options.network_threads; ++i)
    threads_.push_back(std::make_unique<NetworkThread>(i, sweep_interval(options)));
  acceptor_ = std::make_unique<Acceptor>(std::move(listener), threads_, context_);
  for (auto& thread : threads_) thread->start();
}

ServerMeters ThreadedServer::meters() const {
  ServerMeters sum;
  for (const auto& thread : threads_) {
    sum.flushes += thread->meters().flushes.value();
    sum.receives += thread->meters().receives.value();
    sum.bytes_in += thread->meters().bytes_in.value();
    sum.bytes_out += thread->meters().bytes_out.value();
  }
  sum.failed_accepts = acceptor_->failures();
  return sum;
}

bool ThreadedServer::all_ended_within(core::Duration time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  return std::all_of(threads_.begin(), threads_.end(),
                     [&](auto& thread) { return thread->wait_until_ended(deadline); });
}

void ThreadedServer::stop(core::Duration drain) {
  const std::lock_guard lock(stopping_);
  if (std::exchange(stopped_, true)) return;
  threads_.front()->post([this] { acceptor_->stop(); });
  for (auto& thread : threads_) thread->leave_all();
  if (!all_ended_within(drain)) {
    for (auto& thread : threads_) thread->abort_all();
    if (!all_ended_within(kHandlersEndMax))
      core::log::error("handlers still run after all connections were closed; dropping them");
  }
  for (auto& thread : threads_) thread->end_now();
}

}  // namespace

bool Handler::enter(const core::IpAddress&) { return true; }
void Handler::leave(const core::IpAddress&) {}

std::optional<StreamOptions> Handler::streams(const http::Request&) { return std::nullopt; }

Task<void> Handler::exchange(std::shared_ptr<Exchange>) {
  CHECK(false);  // who says that it streams has to
  co_return;
}

core::Result<std::unique_ptr<Server>, std::string> listen(const Endpoint& endpoint,
                                                          const ServerOptions& options) {
  auto listener = listening_socket(endpoint);
  if (!listener) return core::Failure{listener.error()};
  return std::unique_ptr<Server>(std::make_unique<ThreadedServer>(std::move(*listener), options));
}

}  // namespace graspd::net
