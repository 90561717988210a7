#include "gitio/process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/check.h"

namespace graspd::gitio {

namespace {

core::Failure<std::string> cannot_start(std::string_view what, int error) {
  return {std::string(what) + ": " + std::strerror(error)};
}

// Both ends of one stream: what the child gets and what we keep (none for Null).
struct Ends {
  core::FileDescriptor child, ours;
};

core::Result<Ends, std::string> open_ends(Stream stream, bool child_reads, bool nonblocking) {
  if (stream == Stream::Null) {
    core::FileDescriptor null(::open("/dev/null", (child_reads ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
    if (!null) return cannot_start("cannot open /dev/null", errno);
    return Ends{.child = std::move(null), .ours = {}};
  }
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return cannot_start("cannot make a pipe", errno);
  Ends ends{.child = core::FileDescriptor(pipe[child_reads ? 0 : 1]),
            .ours = core::FileDescriptor(pipe[child_reads ? 1 : 0])};
  if (nonblocking) ::fcntl(ends.ours.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  // posix_spawn wants char* for reasons of history and changes nothing.
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

class Attributes {
 public:
  Attributes() {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    CHECK(::posix_spawnattr_init(&attributes_) == 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class FileActions {
 public:
  FileActions() { CHECK(::posix_spawn_file_actions_init(&actions_) == 0); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void duplicate(int from, int to) {
    CHECK(::posix_spawn_file_actions_adddup2(&actions_, from, to) == 0);
  }
  void change_folder(const std::string& folder) {
    CHECK(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()) == 0);
  }
  // What a library or our own parent has opened without thinking of children.
  void close_all_from(int fd) {
    CHECK(::posix_spawn_file_actions_addclosefrom_np(&actions_, fd) == 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Above the standard three, or filling in one of those would overwrite another.
core::Result<core::FileDescriptor, std::string> lifted(core::FileDescriptor fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  core::FileDescriptor higher(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!higher) return cannot_start("cannot duplicate a descriptor", errno);
  return higher;
}

// Read by every thread that starts a process, written before there is one.
ProcessLimits shared_limits;

std::atomic<std::uint64_t> own_work_bytes = 0;
// Hardly any of them comes near its limit.
constexpr std::uint64_t kOwnWorkBytesEach = 512ULL << 20;

void lower(pid_t pid, __rlimit_resource resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit now{};
  if (::prlimit(pid, resource, nullptr, &now) != 0) return;  // it has ended already
  const rlimit lower{std::min<rlim_t>(now.rlim_cur, soft), std::min<rlim_t>(now.rlim_max, hard)};
  ::prlimit(pid, resource, &lower, nullptr);
}

void lower_to(pid_t pid, __rlimit_resource resource, std::uint64_t limit) {
  if (limit > 0) lower(pid, resource, limit, limit);
}

// R6
void apply(const ProcessLimits& limits, const git::CommandLine& command, pid_t pid) {
  // At the soft limit a signal tells what happened; at the hard one it would just be killed.
  constexpr std::uint64_t kSecondsToEnd = 5;
  lower_to(pid, RLIMIT_DATA, limits.memory_bytes_max);
  lower_to(pid, RLIMIT_DATA, command.memory_bytes_max);
  for (const std::uint64_t seconds : {limits.cpu_seconds_max, command.cpu_seconds_max})
    if (seconds > 0) lower(pid, RLIMIT_CPU, seconds, seconds + kSecondsToEnd);
  lower_to(pid, RLIMIT_FSIZE, limits.file_bytes_max);
  lower_to(pid, RLIMIT_FSIZE, command.file_bytes_max);
  lower_to(pid, RLIMIT_NOFILE, limits.files_max);
  lower(pid, RLIMIT_CORE, 0, 0);
}

std::string contents_of(const std::string& path) {
  const core::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4'096, '\0');
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

// R6. Its own children inherit it.
void go_first(pid_t pid) {
  const core::FileDescriptor file(
      ::open(("/proc/" + std::to_string(pid) + "/oom_score_adj").c_str(), O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kFirstOfAll = "1000";
  if (file) std::ignore = ::write(file.get(), kFirstOfAll.data(), kFirstOfAll.size());
}

// A process and those it has started. What has ended and was waited for is in its parent's sum.
void add_usage(pid_t pid, int depth, Process::Usage& usage) {
  constexpr int kDepthMax = 8;  // git starts git, which starts git
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string stat = contents_of(folder + "/stat");
  // After the name, which may hold anything: state, then numbers (see proc(5)).
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::vector<std::string> values(std::istream_iterator<std::string>(fields), {});
  constexpr std::size_t kUserTime = 11, kResidentPages = 21;  // counted from the state
  if (values.size() <= kResidentPages) return;
  std::int64_t ticks = 0;
  for (std::size_t i = kUserTime; i < kUserTime + 4; ++i) ticks += std::atoll(values[i].c_str());
  usage.cpu += core::Duration(ticks * 1'000 / ::sysconf(_SC_CLK_TCK));
  usage.memory_bytes += std::strtoull(values[kResidentPages].c_str(), nullptr, 10) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (depth == kDepthMax) return;
  std::istringstream children(contents_of(folder + "/task/" + std::to_string(pid) + "/children"));
  for (pid_t child = 0; children >> child;) add_usage(child, depth + 1, usage);
}

int exit_code_of(const siginfo_t& info) {
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

}  // namespace

void limit_processes(const ProcessLimits& limits) { shared_limits = limits; }

std::uint64_t memory_of_own_work() { return own_work_bytes; }

void adopt_orphans() { CHECK(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0); }

core::Result<Process, std::string> Process::start(const git::CommandLine& command,
                                                  Streams streams) {
  CHECK(!command.argv.empty());
  FileActions actions;
  const std::array kinds{streams.in, streams.out, streams.err};
  std::array<core::FileDescriptor, 3> child, ours;
  for (int fd = 0; fd < 3; ++fd) {
    auto ends = open_ends(kinds[fd], fd == STDIN_FILENO, streams.nonblocking);
    if (!ends) return core::Failure{std::move(ends).error()};
    auto high = lifted(std::move(ends->child));
    if (!high) return core::Failure{std::move(high).error()};
    child[fd] = *std::move(high);
    ours[fd] = std::move(ends->ours);
    actions.duplicate(child[fd].get(), fd);
  }
  actions.close_all_from(STDERR_FILENO + 1);
  if (!command.directory.empty()) actions.change_folder(command.directory);

  pid_t pid = -1;
  const Attributes attributes;
  const int error =
      ::posix_spawnp(&pid, command.argv.front().c_str(), actions.get(), attributes.get(),
                     pointers(command.argv).data(), pointers(command.env).data());
  if (error != 0) return cannot_start("cannot start " + command.argv.front(), error);
  apply(shared_limits, command, pid);
  go_first(pid);

  Process process(pid, core::FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
                  std::move(ours[0]), std::move(ours[1]), std::move(ours[2]));
  if (!process.pidfd_) return cannot_start("cannot watch " + command.argv.front(), errno);
  if (!streams.has_place) own_work_bytes += process.own_work_bytes_ = kOwnWorkBytesEach;
  return process;
}

Process::Process(pid_t pid, core::FileDescriptor pidfd, core::FileDescriptor in,
                 core::FileDescriptor out, core::FileDescriptor err)
    : pid_(pid),
      pidfd_(std::move(pidfd)),
      in_(std::move(in)),
      out_(std::move(out)),
      err_(std::move(err)) {}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      exit_code_(other.exit_code_),
      pidfd_(std::move(other.pidfd_)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      own_work_bytes_(std::exchange(other.own_work_bytes_, 0)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_code_, other.exit_code_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(own_work_bytes_, other.own_work_bytes_);
  return *this;
}

Process::~Process() {
  if (pid_ < 0 || exit_code_) return;
  kill();
  wait();
}

void Process::forget_memory() { own_work_bytes -= std::exchange(own_work_bytes_, 0); }

Process::Usage Process::usage() const {
  Usage usage;
  if (pid_ > 0 && !exit_code_) add_usage(pid_, 0, usage);
  return usage;
}

void Process::terminate() { signal_group(SIGTERM); }
void Process::kill() { signal_group(SIGKILL); }

// Once the leader is reaped the number may belong to somebody else.
void Process::signal_group(int signal) const {
  if (pid_ > 0 && !exit_code_) ::kill(-pid_, signal);
}

std::optional<int> Process::try_wait() {
  if (!exit_code_) conclude(WNOHANG);
  return exit_code_;
}

int Process::wait() {
  if (!exit_code_) conclude(0);
  return *exit_code_;
}

// Looks first and reaps last: a leader that is not reaped keeps the group's number from being used
// again, so the rest can be killed by it.
void Process::conclude(int options) {
  siginfo_t info{};
  int result = 0;
  do {
    result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options);
  } while (result != 0 && errno == EINTR);
  CHECK(result == 0);  // only if somebody else reaped our child
  if (info.si_pid == 0) return;
  kill();
  reap_group();
  exit_code_ = exit_code_of(info);
  forget_memory();
}

// Members whose parent died are ours by then: a process hands over its children before it can be
// reaped. So once there is none left to wait for, there is none left at all.
void Process::reap_group() const {
  while (::waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace graspd::gitio
