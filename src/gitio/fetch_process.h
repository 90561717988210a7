// Runs git against a remote and supervises it: the remote does not decide how long it takes or how
// much it sends.
//
//   R1  Input is written and both outputs are read concurrently.
//   R2  Limits are checked every tick: no request by `connect_timeout`, no progress for
//       `silence_max`, the deadline, too many bytes, `stop`. At a limit the group gets SIGTERM, and
//       SIGKILL after `grace`.
//   R3  If the remote does not speak git's smart protocol, the process is ended at once.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "git/command_line.h"
#include "git/fetch_failure.h"
#include "git/fetch_talk.h"
#include "gitio/fetch_options.h"

namespace graspd::gitio {

struct Watch {
  core::Duration silence_max{}, deadline{};
  std::uint64_t output_max = 0;
  std::function<void(std::string_view piece)> on_output;
  std::function<std::uint64_t()> bytes;  // what has come so far; empty: nobody counts
  std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
};

// How a command ended that somebody watched.
struct Conversation {
  int status = 0;                           // exit code, 128 + n after signal n
  std::optional<git::FetchError> ended_by;  // the limit, when it was one
  git::FetchTalk talk;

  bool good() const { return status == 0 && !ended_by && !talk.is_dumb(); }
  git::FetchError error(bool is_tls, bool is_fetch) const;
};

// Blocks.
Conversation converse(const git::CommandLine& command, const std::vector<git::Oid>& wants,
                      const Watch& watch, const RemoteOptions& options,
                      const std::stop_token& stop);

}  // namespace graspd::gitio
