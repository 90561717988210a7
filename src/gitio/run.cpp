#include "gitio/run.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "gitio/process.h"

namespace graspd::gitio {

namespace {

using Clock = std::chrono::steady_clock;

// How much is read at once: what a pipe holds.
constexpr std::size_t kOutputChunk = 64 * 1024;
// How soon a wish to stop is noticed.
constexpr core::Duration kTick{100};

enum class Reading { More, Ended, TooMuch };

// Shows what is there, at most `space` bytes of it.
Reading read_some(int fd, std::size_t& space, const Sink& sink) {
  std::array<char, kOutputChunk> buffer;
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Reading::More : Reading::Ended;
  if (count == 0) return Reading::Ended;
  const std::size_t taken = std::min(space, static_cast<std::size_t>(count));
  sink({buffer.data(), taken});
  space -= taken;
  return static_cast<std::size_t>(count) > taken ? Reading::TooMuch : Reading::More;
}

// One program's streams, moved on by poll() until both outputs have ended.
class Exchange {
 public:
  Exchange(Process& process, std::string_view input, const Sink& sink, const RunLimits& limits)
      : in_(process.take_stdin()),
        out_(process.take_stdout()),
        err_(process.take_stderr()),
        input_(input),
        sink_(sink),
        output_space_(limits.output_max),
        error_space_(limits.error_max),
        deadline_(Clock::now() + limits.deadline),
        stop_(limits.stop) {
    if (input_.empty()) in_.reset();
  }

  // nullopt when all is read.
  std::optional<std::string> perform() {
    while (out_ || err_) {
      std::array<pollfd, 3> polled{pollfd{in_.get(), POLLOUT, 0}, pollfd{out_.get(), POLLIN, 0},
                                   pollfd{err_.get(), POLLIN, 0}};
      if (stop_.stop_requested()) return "was stopped";
      const core::Duration left = left_until_deadline();
      if (left <= core::Duration::zero()) return "took too long";
      const int ready = ::poll(polled.data(), polled.size(), patience(left));
      if (ready < 0 && errno != EINTR) return std::strerror(errno);
      if (ready <= 0) continue;
      if (polled[0].revents != 0) write_some();
      if (polled[1].revents != 0 && !read_output()) return "said too much";
      if (polled[2].revents != 0) read_errors();
    }
    return std::nullopt;
  }

  // Outputs can end long before the program does.
  bool await_end(const Process& process) const {
    pollfd polled{process.pidfd(), POLLIN, 0};
    for (;;) {
      const core::Duration left = std::max(left_until_deadline(), core::Duration::zero());
      const int ready = ::poll(&polled, 1, patience(left));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (left <= core::Duration::zero() || stop_.stop_requested()) return false;
    }
  }

  Output output;

 private:
  core::Duration left_until_deadline() const {
    return std::chrono::ceil<core::Duration>(deadline_ - Clock::now());
  }
  int patience(core::Duration left) const {
    return static_cast<int>((stop_.stop_possible() ? std::min(left, kTick) : left).count());
  }
  void write_some() {
    const ssize_t count = ::write(in_.get(), input_.data(), input_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) input_.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 || input_.empty()) in_.reset();
  }
  bool read_output() {
    const Reading reading = read_some(out_.get(), output_space_, sink_);
    if (reading == Reading::Ended) out_.reset();
    return reading != Reading::TooMuch;
  }
  void read_errors() {
    const auto keep = [this](std::string_view piece) { output.err += piece; };
    if (read_some(err_.get(), error_space_, keep) == Reading::Ended) err_.reset();
  }

  core::FileDescriptor in_, out_, err_;
  std::string_view input_;
  const Sink& sink_;
  std::size_t output_space_, error_space_;
  Clock::time_point deadline_;
  const std::stop_token stop_;
};

std::string name_of(const git::CommandLine& command) {
  std::string name;
  for (const std::string& word : command.argv) {
    // Settings are many and the same everywhere; the reader wants to know which command it was.
    if (word.starts_with('-') || word.find('=') != std::string::npos) continue;
    name += (name.empty() ? "" : " ") + word;
  }
  return name;
}

}  // namespace

core::Result<Output, std::string> run_into(const Sink& sink, const git::CommandLine& command,
                                           std::string_view input, const RunLimits& limits) {
  auto process = Process::start(command, {.nonblocking = true});
  if (!process) return core::Failure{std::move(process).error()};
  Exchange exchange(*process, input, sink, limits);
  auto failure = exchange.perform();
  if (!failure && !exchange.await_end(*process)) failure = "took too long";
  if (failure) return core::Failure{name_of(command) + ": " + *failure};
  exchange.output.status = process->wait();
  return std::move(exchange.output);
}

core::Result<Output, std::string> run(const git::CommandLine& command, std::string_view input,
                                      const RunLimits& limits) {
  std::string out;
  auto output = run_into([&](std::string_view piece) { out += piece; }, command, input, limits);
  if (output) output->out = std::move(out);
  return output;
}

core::Result<std::string, std::string> run_ok(const git::CommandLine& command,
                                              std::string_view input, const RunLimits& limits) {
  auto output = run(command, input, limits);
  if (!output) return core::Failure{std::move(output).error()};
  if (output->status == 0) return std::move(output->out);
  while (output->err.ends_with('\n')) output->err.pop_back();
  return core::Failure{name_of(command) + ": " +
                       (output->err.empty() ? "exit code " + std::to_string(output->status)
                                            : std::move(output->err))};
}

}  // namespace graspd::gitio
