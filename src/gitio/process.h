// A program that runs as our child, started from a command line that is a value.
//
//   R1  It leads its own process group: terminate() and kill() reach everything it has started.
//   R2  It starts with default signals, an empty signal mask, the environment and folder of its
//       command line, and no descriptor of ours but its three streams.
//   R3  No zombies: when its leader ends, the rest of the group is killed and every member is
//       reaped. Members whose parent died become our children because of adopt_orphans().
//   R4  The destructor kills the group and waits for its end, which takes milliseconds after
//       SIGKILL. If there is time, send SIGTERM first: git then removes its temporary files.
//   R5  If we are killed ourselves, its streams break and git ends.
//   R6  It gets a limited share of the machine, and so does each process it starts: packs come from
//       strangers, and a few kilobytes can expand into terabytes. The limits are set before it
//       receives a byte; it writes no core. If the machine runs out of memory, it is killed before
//       we are.
//
// Thread-safety: one thread at a time per Process; start() from any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

#include "core/file_descriptor.h"
#include "core/result.h"
#include "core/time.h"
#include "git/command_line.h"

namespace graspd::gitio {

enum class Stream { Pipe, Null };

struct Streams {
  Stream in = Stream::Pipe;
  Stream out = Stream::Pipe;
  Stream err = Stream::Pipe;
  bool nonblocking = false;  // our ends only: git's own never are
  // Its starter has a place for it in the budget of memory; see memory_of_own_work().
  bool has_place = false;
};

// R6. Of each process; 0: no limit of ours.
struct ProcessLimits {
  // What it allocates; packs and indexes that it only maps do not count.
  std::uint64_t memory_bytes_max = 2ULL << 30;
  std::uint64_t cpu_seconds_max = 3'600;
  std::uint64_t file_bytes_max = 64ULL << 30;
  std::uint64_t files_max = 1'024;  // open at a time
};

// For all that are started from now on. Before the first start().
void limit_processes(const ProcessLimits& limits);

// What the processes may use that were started without a place: by threads of ours, for work that
// no client waits for. There are only as many as such threads, so they do not wait for space; but
// others do, for them.
std::uint64_t memory_of_own_work();

// Makes us the parent of grandchildren whose parent has died (R3). Once, before the first start().
void adopt_orphans();

class Process {
 public:
  // The failure is a sentence for the operator.
  static core::Result<Process, std::string> start(const git::CommandLine& command, Streams streams);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  // Our ends of its streams; the caller becomes their owner. -1 when taken already or Null.
  [[nodiscard]] int take_stdin() { return in_.release(); }
  [[nodiscard]] int take_stdout() { return out_.release(); }
  [[nodiscard]] int take_stderr() { return err_.release(); }

  // Becomes readable when the leader has ended. Stays ours.
  int pidfd() const { return pidfd_.get(); }
  pid_t pid() const { return pid_; }

  // What its group has used so far, and uses now, as far as that can be seen.
  struct Usage {
    core::Duration cpu{};
    std::uint64_t memory_bytes = 0;  // resident
  };
  Usage usage() const;

  void terminate();  // SIGTERM to the group
  void kill();       // SIGKILL to the group

  // The exit code once the leader has ended (128 + n after signal n), and always the same then.
  std::optional<int> try_wait();
  int wait();

 private:
  Process(pid_t pid, core::FileDescriptor pidfd, core::FileDescriptor in, core::FileDescriptor out,
          core::FileDescriptor err);
  void signal_group(int signal) const;
  void conclude(int options);
  void reap_group() const;
  void forget_memory();

  pid_t pid_ = -1;  // also the number of its group; stays taken until the leader is reaped
  std::optional<int> exit_code_;
  core::FileDescriptor pidfd_, in_, out_, err_;
  std::uint64_t own_work_bytes_ = 0;  // its part of memory_of_own_work()
};

}  // namespace graspd::gitio
