#include "serve/git/git_child.h"

#include <array>

#include "net/later.h"

namespace graspd::serve {
namespace {

constexpr std::size_t kChunk = 64 * 1024;          // what a pipe holds
constexpr std::size_t kComplaintsMax = 16 * 1024;  // enough for any sentence of git's
constexpr core::Duration kUsageInterval{500};
constexpr core::Duration kExitPatience{10'000};  // after its output has ended

net::Task<void> either(net::Task<void> a, net::Task<void> b) {
  co_await net::first(std::move(a), std::move(b));
}

}  // namespace

GitChild::GitChild(gitio::Process process, Workers& reapers)
    : process_(std::move(process)), reapers_(reapers) {}

// R3. SIGTERM lets git remove its temporary files; the destructor of Process ends what is left.
GitChild::~GitChild() {
  if (process_.try_wait()) return;
  process_.terminate();
  auto dying = std::make_shared<gitio::Process>(std::move(process_));
  reapers_.post([dying]() mutable { dying.reset(); });
}

net::Task<GitChild::Started> GitChild::start(const git::CommandLine& command, Workers& reapers) {
  auto process = gitio::Process::start(command, {.nonblocking = true, .has_place = true});
  if (!process) return with_pipes(core::Failure{process.error()});
  return with_pipes(std::shared_ptr<GitChild>(new GitChild(*std::move(process), reapers)));
}

net::Task<GitChild::Started> GitChild::with_pipes(Started started) {
  if (!started) co_return started;
  const std::shared_ptr<GitChild> child = *started;
  child->in_ = co_await net::open_pipe(core::FileDescriptor(child->process_.take_stdin()));
  child->out_ = co_await net::open_pipe(core::FileDescriptor(child->process_.take_stdout()));
  child->err_ = co_await net::open_pipe(core::FileDescriptor(child->process_.take_stderr()));
  co_return started;
}

net::Task<GitChild::End> GitChild::converse(std::shared_ptr<GitChild> self,
                                            std::shared_ptr<net::Exchange> exchange, Source source,
                                            Sink sink, Watch bounds) {
  auto moved = move_all(self, std::move(source), std::move(sink));
  auto watched = watch(self, std::move(exchange), std::move(bounds));
  const std::size_t ended = co_await net::first(std::move(moved), std::move(watched));
  End end;
  end.out_of_time = self->out_of_time_;
  end.complaints = std::move(self->complaints_);
  if (ended != 0 || self->failed_) co_return end;
  co_await net::readable(self->process_.pidfd(), kExitPatience);
  const auto status = self->process_.try_wait();
  end.finished = status.has_value();
  end.status = status.value_or(-1);
  co_return end;
}

net::Task<void> GitChild::move_all(std::shared_ptr<GitChild> self, Source source, Sink sink) {
  co_await net::both(feed(self, std::move(source)),
                     net::both(drain(self, std::move(sink)), listen(self)));
}

net::Task<void> GitChild::feed(std::shared_ptr<GitChild> self, Source source) {
  for (;;) {
    const auto bytes = co_await source();
    if (!bytes) self->failed_ = true;
    if (!bytes || bytes->empty()) break;
    if (!co_await self->in_.write(*bytes)) break;  // it has read enough; its exit code tells
    self->moved_ += bytes->size();
    self->read_ += bytes->size();
  }
  // A body that broke off must not look like a whole one: the process goes before its input ends.
  if (self->failed_) self->process_.kill();
  self->in_.close();
}

net::Task<void> GitChild::drain(std::shared_ptr<GitChild> self, Sink sink) {
  const auto buffer = std::make_unique<std::array<char, kChunk>>();
  for (;;) {
    const auto count = co_await self->out_.read(*buffer);
    if (!count || *count == 0) co_return;
    self->moved_ += *count;
    if (co_await sink({buffer->data(), *count})) continue;
    self->failed_ = true;
    self->process_.terminate();
    self->in_.close();
    co_return;
  }
}

net::Task<void> GitChild::listen(std::shared_ptr<GitChild> self) {
  const auto buffer = std::make_unique<std::array<char, 4096>>();
  for (;;) {
    const auto count = co_await self->err_.read(*buffer);
    if (!count || *count == 0) co_return;
    const std::size_t space = kComplaintsMax - self->complaints_.size();
    self->complaints_.append(buffer->data(), std::min(*count, space));
  }
}

net::Task<void> GitChild::watch(std::shared_ptr<GitChild> self,
                                std::shared_ptr<net::Exchange> exchange, Watch bounds) {
  auto silent = watch_silence(self, bounds.silence_max);
  if (!bounds.cpu_max && !bounds.on_usage) {
    co_await net::first(exchange->gone(), std::move(silent));
    co_return;
  }
  auto used_up = watch_usage(std::move(self), std::move(bounds));
  auto ended = either(std::move(silent), std::move(used_up));
  co_await net::first(exchange->gone(), std::move(ended));
}

// R4
net::Task<void> GitChild::watch_usage(std::shared_ptr<GitChild> self, Watch bounds) {
  while (!self->out_of_time_) {
    co_await net::pause(kUsageInterval);
    const auto usage = self->process_.usage();
    if (bounds.on_usage) bounds.on_usage(usage);
    self->out_of_time_ = bounds.cpu_max && usage.cpu > bounds.cpu_max(self->read_);
  }
}

net::Task<void> GitChild::watch_silence(std::shared_ptr<GitChild> self,
                                        core::Duration silence_max) {
  for (std::uint64_t before = 0;; before = self->moved_) {
    co_await net::pause(silence_max);
    if (self->moved_ == before) co_return;
  }
}

}  // namespace graspd::serve
