#include "load/syscall_counter.h"

#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace graspd::load {
namespace {

std::optional<std::uint64_t> tracepoint_id() {
  for (const char* root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file(std::string(root) + "/events/raw_syscalls/sys_enter/id");
    std::uint64_t id = 0;
    if (file >> id) return id;
  }
  return std::nullopt;
}

int open_counter(std::uint64_t tracepoint, pid_t thread) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.size = sizeof attributes;
  attributes.config = tracepoint;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, 0));
}

}  // namespace

SyscallCounter::SyscallCounter(pid_t process) {
  const std::optional<std::uint64_t> tracepoint = tracepoint_id();
  if (!tracepoint) return;
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    const int fd = open_counter(*tracepoint, std::stoi(task.path().filename()));
    if (fd >= 0) fds_.push_back(fd);
  }
}

SyscallCounter::~SyscallCounter() {
  for (const int fd : fds_) ::close(fd);
}

std::optional<std::uint64_t> SyscallCounter::read() const {
  if (fds_.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const int fd : fds_) {
    std::uint64_t count = 0;
    if (::read(fd, &count, sizeof count) == sizeof count) sum += count;
  }
  return sum;
}

}  // namespace graspd::load
