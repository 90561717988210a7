// A git process that talks to a client: bytes flow both ways at the client's pace.
//
//   R1  Input, output and error output are moved concurrently, so that no pipe fills up and stalls.
//   R2  The process group is killed when the client leaves, or when nothing has moved for
//       `silence_max`.
//   R3  No network thread waits for a dying process.
//   R4  The group is killed when it has used more processor time than `cpu_max` allows at that
//       moment.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/time.h"
#include "git/command_line.h"
#include "gitio/process.h"
#include "net/exchange.h"
#include "net/pipe.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class GitChild {
 public:
  // Sources return an empty view at the end, nullopt when they fail; sinks false when they fail.
  using Source = std::function<net::Task<std::optional<std::string_view>>()>;
  using Sink = std::function<net::Task<bool>(std::string_view)>;

  struct End {
    bool finished = false;  // it ran to its end; otherwise it was ended
    int status = 0;
    std::string complaints;    // the beginning of what it wrote to stderr
    bool out_of_time = false;  // R4
  };
  struct Watch {
    core::Duration silence_max;
    // R4, after it has read so many bytes. Empty: whatever each process may use.
    std::function<core::Duration(std::uint64_t bytes_read)> cpu_max;
    std::function<void(const gitio::Process::Usage&)> on_usage;  // now and then; may be empty
  };

  // The failure is a sentence for the operator.
  using Started = core::Result<std::shared_ptr<GitChild>, std::string>;
  static net::Task<Started> start(const git::CommandLine& command, Workers& reapers);
  ~GitChild();

  static net::Task<End> converse(std::shared_ptr<GitChild> self,
                                 std::shared_ptr<net::Exchange> exchange, Source source, Sink sink,
                                 Watch watch);

 private:
  GitChild(gitio::Process process, Workers& reapers);

  static net::Task<Started> with_pipes(Started started);
  static net::Task<void> move_all(std::shared_ptr<GitChild> self, Source source, Sink sink);
  static net::Task<void> feed(std::shared_ptr<GitChild> self, Source source);
  static net::Task<void> drain(std::shared_ptr<GitChild> self, Sink sink);
  static net::Task<void> listen(std::shared_ptr<GitChild> self);
  static net::Task<void> watch(std::shared_ptr<GitChild> self,
                               std::shared_ptr<net::Exchange> exchange, Watch watch);
  static net::Task<void> watch_usage(std::shared_ptr<GitChild> self, Watch watch);
  static net::Task<void> watch_silence(std::shared_ptr<GitChild> self, core::Duration silence_max);

  gitio::Process process_;
  Workers& reapers_;
  net::Pipe in_, out_, err_;
  std::string complaints_;
  std::uint64_t moved_ = 0, read_ = 0;  // bytes: both ways, and by it
  bool out_of_time_ = false;
  bool failed_ = false;  // a source or sink gave up
};

}  // namespace graspd::serve
