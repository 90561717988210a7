#include "net/pipe.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <fcntl.h>
#include <utility>

#include "core/check.h"
#include "net/no_throw.h"

namespace asio = boost::asio;

namespace graspd::net {

using ErrorCode = boost::system::error_code;

class Pipe::Descriptor {
 public:
  Descriptor(const asio::any_io_executor& executor, int fd) : stream_(executor, fd) {}

  // The operations keep it alive themselves: the Pipe may go while they wait.
  static Task<core::Result<std::size_t, NetError>> read(std::shared_ptr<Descriptor> self,
                                                        std::span<char> into);
  static Task<bool> write(std::shared_ptr<Descriptor> self, std::string_view bytes);
  void close() {
    ErrorCode ignored;
    stream_.close(ignored);
  }

 private:
  // An operation that was aborted though nobody closed the pipe belongs to a cancelled coroutine.
  void throw_if_cancelled(const ErrorCode& error) const {
    if (error == asio::error::operation_aborted && stream_.is_open())
      throw boost::system::system_error(error);
  }

  asio::posix::stream_descriptor stream_;
};

Task<core::Result<std::size_t, NetError>> Pipe::Descriptor::read(std::shared_ptr<Descriptor> self,
                                                                 std::span<char> into) {
  if (!self || !self->stream_.is_open()) co_return core::Failure{NetError::Closed};
  const auto [error, size] =
      co_await self->stream_.async_read_some(asio::buffer(into.data(), into.size()), kNoThrow);
  self->throw_if_cancelled(error);
  if (error == asio::error::eof) co_return std::size_t{0};
  if (error == asio::error::operation_aborted) co_return core::Failure{NetError::Closed};
  if (error) co_return core::Failure{NetError::Failed};
  co_return size;
}

Task<bool> Pipe::Descriptor::write(std::shared_ptr<Descriptor> self, std::string_view bytes) {
  if (!self || !self->stream_.is_open()) co_return false;
  const auto [error, size] =
      co_await asio::async_write(self->stream_, asio::buffer(bytes), kNoThrow);
  self->throw_if_cancelled(error);
  co_return !error;
}

Pipe::Pipe() = default;
Pipe::Pipe(Pipe&&) noexcept = default;
Pipe& Pipe::operator=(Pipe&& other) noexcept {
  close();
  descriptor_ = std::move(other.descriptor_);
  return *this;
}
Pipe::~Pipe() { close(); }

Task<core::Result<std::size_t, NetError>> Pipe::read(std::span<char> into) {
  return Descriptor::read(descriptor_, into);
}

Task<bool> Pipe::write(std::string_view bytes) { return Descriptor::write(descriptor_, bytes); }

void Pipe::close() {
  if (auto closing = std::exchange(descriptor_, nullptr)) closing->close();
}

Task<Pipe> open_pipe(core::FileDescriptor end) {
  CHECK(end);
  // Pipes have no MSG_NOSIGNAL.
  [[maybe_unused]] static const auto replaced = std::signal(SIGPIPE, SIG_IGN);
  const auto executor = co_await asio::this_coro::executor;
  Pipe pipe;
  pipe.descriptor_ = std::make_shared<Pipe::Descriptor>(executor, end.release());
  co_return pipe;
}

Task<bool> readable(int fd, core::Duration timeout) {
  const auto executor = co_await asio::this_coro::executor;
  // A duplicate, so that neither a second watcher nor the owner's close() gets in the way.
  core::FileDescriptor duplicate(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!duplicate) co_return false;
  auto watched = std::make_shared<asio::posix::stream_descriptor>(executor, duplicate.release());
  asio::steady_timer timer(executor, timeout);
  auto timed_out = std::make_shared<bool>(false);
  timer.async_wait([watched, timed_out](ErrorCode error) {
    if (error) return;
    *timed_out = true;
    watched->cancel();
  });
  const auto [error] =
      co_await watched->async_wait(asio::posix::stream_descriptor::wait_read, kNoThrow);
  if (error == asio::error::operation_aborted && !*timed_out)
    throw boost::system::system_error(error);
  co_return !error;
}

}  // namespace graspd::net
