#include "net/acceptor.h"

#include <cerrno>
#include <cstring>

#include "core/log.h"
#include "net/clock.h"
#include "net/listening_socket.h"
#include "net/no_throw.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

// Accepted in one go; then everybody else has a turn.
constexpr int kAcceptsPerTurn = 64;
constexpr core::Duration kPause{200};
constexpr core::Duration kLogInterval{60'000};

// What went wrong with that one connection, not with accepting.
bool is_about_the_peer(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM ||
         error == ENETDOWN || error == EHOSTUNREACH || error == ENETUNREACH || error == ENOPROTOOPT;
}

}  // namespace

Acceptor::Acceptor(core::FileDescriptor listener, Threads& threads, ConnectionContext& context)
    : threads_(threads),
      context_(context),
      listener_(threads.front()->executor(), listener.release()),
      pause_timer_(threads.front()->executor()) {}

Task<void> Acceptor::run() {
  while (listener_.is_open()) {
    const auto error = accept_waiting();
    if (error) {
      co_await pause(*error);
    } else {
      co_await listener_.async_wait(asio::posix::descriptor_base::wait_read, kNoThrow);
    }
  }
}

std::optional<int> Acceptor::accept_waiting() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    auto accepted = accept_from(listener_.native_handle());
    if (accepted) {
      deal(std::move(accepted->socket), accepted->peer);
    } else if (accepted.error() == EAGAIN) {
      return std::nullopt;
    } else if (!is_about_the_peer(accepted.error())) {
      return accepted.error();
    }
  }
  return std::nullopt;
}

void Acceptor::deal(core::FileDescriptor socket, const core::IpAddress& peer) {
  NetworkThread& thread = *threads_[next_thread_++ % threads_.size()];
  auto shared = std::make_shared<core::FileDescriptor>(std::move(socket));
  thread.post([&thread, &context = context_, shared, peer] {
    if (thread.leaving()) return;
    start_connection(thread, context, std::move(*shared), peer);
  });
}

Task<void> Acceptor::pause(int error) {
  failures_.add(1);
  const core::Instant instant = now().instant;
  if (!logged_at_ || instant - *logged_at_ >= kLogInterval) {
    logged_at_ = instant;
    core::log::error("cannot accept connections for now: {}", std::strerror(error));
  }
  pause_timer_.expires_after(kPause);
  co_await pause_timer_.async_wait(kNoThrow);
}

void Acceptor::stop() {
  boost::system::error_code ignored;
  listener_.close(ignored);
  pause_timer_.cancel();
}

}  // namespace graspd::net
