#include "gitio/fetch_process.h"

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
using git::FetchFailure;

constexpr std::size_t kReadSize = 64 * 1024;

git::FetchError ended(FetchFailure failure, std::string text) {
  return {failure, std::move(text), 0, std::nullopt};
}

class Watcher {
 public:
  Watcher(Process process, std::string input, const Watch& watch, const RemoteOptions& options,
          const std::stop_token& stop, git::FetchTalk& talk)
      : process_(std::move(process)),
        in_(process_.take_stdin()),
        out_(process_.take_stdout()),
        err_(process_.take_stderr()),
        input_(std::move(input)),
        rest_(input_),
        watch_(watch),
        options_(options),
        stop_(stop),
        talk_(talk) {
    if (rest_.empty()) in_.reset();
  }

  // Until it has ended, or has reached a limit.
  std::optional<git::FetchError> perform() {
    while (true) {
      const bool running = !process_.try_wait();
      const bool any = move_on(running ? options_.tick : core::Duration::zero());
      if (auto limit = reached()) return finish(std::move(limit));
      if (!running && !any) return finish(std::nullopt);
    }
  }

  int status() { return process_.wait(); }

 private:
  // True when something was read.
  bool move_on(core::Duration patience) {
    std::array<pollfd, 4> polled{
        pollfd{in_.get(), POLLOUT, 0}, pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0},
        pollfd{patience > patience.zero() ? process_.pidfd() : -1, POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), static_cast<int>(patience.count())) <= 0) return false;
    if (polled[0].revents != 0) write_some();
    bool any =
        polled[1].revents != 0 && read_some(out_, [this](auto piece) { take_output(piece); });
    any |= polled[2].revents != 0 && read_some(err_, [this](auto piece) { talk_.add(piece); });
    if (any) heard_ = Clock::now();
    return any;
  }

  void write_some() {
    const ssize_t count = ::write(in_.get(), rest_.data(), rest_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) rest_.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 || rest_.empty()) in_.reset();
  }

  template <class Take>
  static bool read_some(core::FileDescriptor& fd, const Take& take) {
    std::array<char, kReadSize> buffer;
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
    return count > 0;
  }

  void take_output(std::string_view piece) {
    output_ += piece.size();
    if (output_ <= watch_.output_max && watch_.on_output) watch_.on_output(piece);
  }

  // R2, R3.
  std::optional<git::FetchError> reached() {
    if (stop_.stop_requested()) return ended(FetchFailure::Stopped, "stopped");
    if (output_ > watch_.output_max) return ended(FetchFailure::TooLarge, "too many refs");
    if (talk_.is_dumb()) return ended(FetchFailure::NotGit, "not a git server");
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return std::nullopt;
    next_look_ = now + options_.tick;
    if (auto limit = count_bytes(now)) return limit;
    if (now - start_ > watch_.deadline) return ended(FetchFailure::Stalled, "took too long");
    if (now - heard_ > watch_.silence_max) return ended(FetchFailure::Stalled, "went silent");
    if (!talk_.requested() && now - start_ > options_.connect_timeout)
      return ended(FetchFailure::TimedOut, "no connection in time");
    return std::nullopt;
  }

  std::optional<git::FetchError> count_bytes(Clock::time_point now) {
    if (!watch_.bytes) return std::nullopt;
    const std::uint64_t bytes = watch_.bytes();
    if (std::exchange(bytes_, bytes) != bytes) heard_ = now;
    if (bytes <= watch_.bytes_max) return std::nullopt;
    return ended(FetchFailure::TooLarge, "more bytes than allowed");
  }

  std::optional<git::FetchError> finish(std::optional<git::FetchError> limit) {
    talk_.end();
    if (!limit || process_.try_wait()) return limit;
    process_.terminate();
    pollfd polled{process_.pidfd(), POLLIN, 0};
    ::poll(&polled, 1, static_cast<int>(options_.grace.count()));
    process_.kill();
    return limit;
  }

  Process process_;
  core::FileDescriptor in_, out_, err_;
  const std::string input_;
  std::string_view rest_;
  const Watch& watch_;
  const RemoteOptions& options_;
  const std::stop_token& stop_;
  git::FetchTalk& talk_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point heard_ = start_, next_look_ = start_;
  std::uint64_t output_ = 0, bytes_ = 0;
};

std::string lines_of(const std::vector<git::Oid>& oids) {
  std::string lines;
  for (const git::Oid& oid : oids) lines += oid.hex() + '\n';
  return lines;
}

}  // namespace

git::FetchError Conversation::error(bool is_tls, bool is_fetch) const {
  return ended_by ? *ended_by : talk.conclude(is_tls, is_fetch);
}

Conversation converse(const git::CommandLine& command, const std::vector<git::Oid>& wants,
                      const Watch& watch, const RemoteOptions& options,
                      const std::stop_token& stop) {
  Conversation conversation{.talk = git::FetchTalk(wants)};
  auto process = Process::start(command, {.nonblocking = true});
  if (!process) {
    conversation.ended_by = ended(FetchFailure::OurFault, std::move(process).error());
    return conversation;
  }
  Watcher watcher(*std::move(process), lines_of(wants), watch, options, stop, conversation.talk);
  conversation.ended_by = watcher.perform();
  conversation.status = watcher.status();
  return conversation;
}

}  // namespace graspd::gitio
