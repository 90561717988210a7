// Counts another process's system calls by the kernel's own tracepoint: no ptrace, hardly any
// cost. Needs the right to trace (root, usually); without it there is no figure.
#pragma once
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace graspd::load {

class SyscallCounter {
 public:
  // Of all threads the process has now.
  explicit SyscallCounter(pid_t process);
  ~SyscallCounter();
  SyscallCounter(const SyscallCounter&) = delete;
  SyscallCounter& operator=(const SyscallCounter&) = delete;

  std::optional<std::uint64_t> read() const;

 private:
  std::vector<int> fds_;
};

}  // namespace graspd::load
